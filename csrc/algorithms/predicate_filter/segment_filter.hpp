// What an endpoint of predicate_filter does with the segments that it receives.
#pragma once

#include "algorithms/predicate_filter/ordered_output.hpp"
#include "algorithms/predicate_filter/predicate_filter.hpp"
#include "runtime/link.hpp"

#include <functional>

namespace warpgraph {

/// An endpoint.
struct SegmentFilter {
  Device device;
  std::string name;
  runtime::Link& in;
  runtime::Link& to_host;
  OrderedOutput& output;
  /// So many segments may be filtered before their places are known.
  std::size_t most_early;
};

/// An interval of values of any type.
struct AnyInterval {
  /// Filters values to memory for all of them. Returns the number of those that pass.
  std::function<std::size_t(std::span<const std::byte> values, std::byte* passed)> filter;
  /// To memory of which what lies after the values that pass does not change.
  std::function<std::size_t(std::span<const std::byte> values, std::span<std::byte> passed)>
      filter_within;
  /// filter_segments_cuda(); none in a build without CUDA.
  std::function<void(SegmentFilter&)> filter_segments_cuda;
};

/// Filters all segments that arrive, and writes what passes to the output.
void filter_segments_cpu(SegmentFilter& endpoint, const AnyInterval& interval);
/// The same by the current device. What passes is sent to the host, with the segment's position as
/// metadata.
template <class T>
void filter_segments_cuda(SegmentFilter& endpoint, Interval<T> interval);

/// The positions of a segment's values.
inline SegmentRange range_of(const runtime::Segment& segment, std::size_t value_size) {
  const std::size_t begin = segment.offset / value_size;
  return {begin, begin + segment.bytes / value_size};
}

}  // namespace warpgraph
