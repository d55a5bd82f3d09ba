// What an endpoint of predicate_filter does with the segments that it receives.
#pragma once

#include "algorithms/predicate_filter/ordered_output.hpp"
#include "algorithms/predicate_filter/predicate_filter.hpp"
#include "runtime/link.hpp"

namespace warpgraph {

/// An endpoint.
template <class T>
struct SegmentFilter {
  Device device;
  std::string name;
  runtime::Link& in;
  runtime::Link& to_host;
  OrderedOutput<T>& output;
  /// So many segments may be filtered before their places are known.
  std::size_t most_early;
};

/// Filters all segments that arrive, and writes what passes to the output.
template <class T>
void filter_segments_cpu(SegmentFilter<T>& endpoint, Interval<T> interval);
/// The same by the current device. What passes is sent to the host, with the segment's position as
/// metadata.
template <class T>
void filter_segments_cuda(SegmentFilter<T>& endpoint, Interval<T> interval);

/// The positions of a segment's values.
template <class T>
SegmentRange range_of(const runtime::Segment& segment) {
  const std::size_t begin = segment.offset / sizeof(T);
  return {begin, begin + segment.bytes / sizeof(T)};
}

}  // namespace warpgraph
