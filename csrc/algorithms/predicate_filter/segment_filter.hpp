// An endpoint of predicate_filter.
#pragma once

#include "algorithms/predicate_filter/ordered_output.hpp"
#include "core/processor/filter_values.hpp"
#include "runtime/link.hpp"

namespace warpgraph {

struct SegmentFilter {
  Device device;
  std::string name;
  runtime::Link& in;
  OrderedOutput& output;
};

/// Filters all segments that arrive on the current device.
template <class T>
void filter_segments_cuda(const SegmentFilter& endpoint, Interval<T> interval);

}  // namespace warpgraph
