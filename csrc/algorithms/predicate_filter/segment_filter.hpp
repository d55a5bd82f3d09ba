// The work of an endpoint of predicate_filter on the segments that it receives.
#pragma once

#include "algorithms/predicate_filter/ordered_output.hpp"
#include "algorithms/predicate_filter/predicate_filter.hpp"
#include "runtime/link.hpp"

#include <functional>

namespace warpgraph {

/// An endpoint that filters segments.
struct SegmentFilter {
  Device device;
  std::string name;
  runtime::Link& in;
  runtime::Link& to_host;
  OrderedOutput& output;
  /// The most segments that may be filtered before their places are known.
  std::size_t max_early;
};

/// An interval of values of any type.
struct AnyInterval {
  /// Filters values to memory for all of them. Returns the number of those that pass.
  std::function<std::size_t(std::span<const std::byte> values, std::byte* passed)> filter;
  /// Filters values to memory whose items after the values that pass do not change.
  std::function<std::size_t(std::span<const std::byte> values, std::span<std::byte> passed)>
      filter_within;
  /// Calls filter_segments_cuda(); empty in a build without CUDA.
  std::function<void(SegmentFilter&)> filter_segments_cuda;
};

/// Filters all segments that arrive, and writes the values that pass to the output.
void filter_segments_cpu(SegmentFilter& endpoint, const AnyInterval& interval);
/// Filters all segments on the current device. The values that pass are sent to the host, with the
/// segment's position as metadata.
template <class T>
void filter_segments_cuda(SegmentFilter& endpoint, Interval<T> interval);

/// Returns the positions of a segment's values.
inline SegmentRange range_of(const runtime::Segment& segment, std::size_t value_size) {
  const std::size_t begin = segment.offset / value_size;
  return {begin, begin + segment.bytes / value_size};
}

}  // namespace warpgraph
