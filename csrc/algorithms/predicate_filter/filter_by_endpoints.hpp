// The endpoints of predicate_filter. Not for use outside this folder.
#pragma once

#include "algorithms/predicate_filter/ordered_output.hpp"
#include "algorithms/predicate_filter/predicate_filter.hpp"
#include "core/interrupt.hpp"
#include "runtime/link.hpp"

namespace warpgraph {

/// The segments that a core filters while others are busy with earlier ones.
inline constexpr std::size_t max_early = 4;

/// The bytes of the segments that endpoints receive: whole values.
struct FilterPackets {
  std::size_t core = 0;
  std::size_t gpu = 0;
};

inline void report_filtered(std::size_t done, std::size_t total) {
  report_progress(static_cast<std::int64_t>(done), static_cast<std::int64_t>(total));
}

struct SegmentFilter {
  Device device;
  std::string name;
  runtime::Link& in;
  OrderedOutput& output;
};

/// Filters all segments that arrive on the current device.
template <class T>
void filter_segments_cuda(const SegmentFilter& endpoint, Interval<T> interval);

/// Filters by an endpoint on each device. Returns the number of values that pass, of which as many
/// are written as `memory` has room for.
template <class T>
std::size_t filter_by_endpoints(FilterInput<T> input, Interval<T> interval, std::span<T> memory,
                                const FilterPackets& packets, const std::vector<Device>& devices);

}  // namespace warpgraph
