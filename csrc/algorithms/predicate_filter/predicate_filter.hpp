// The values of an array that lie between two bounds, in their order.
//
// The array is sent in segments to whichever endpoint of the runtime is available; so fast
// endpoints filter more than slow ones. An endpoint counts the values of a segment that pass. When
// all earlier segments have been counted, too, their place in the result is known: cores write them
// there, GPUs send them to the host, which does. So the array is read once and the result is
// written once, and neither has to fit into memory if they are mapped files. The endpoints are
// those of [1], figures 5 and 6, where the host puts all results in order.
//
// [1] Ben-Nun, Sutton, Pai, Pingali: "Groute: an asynchronous multi-GPU programming model for
//     irregular computations", PPoPP 2017.
#pragma once

#include "core/device.hpp"
#include "core/memory/host_vector.hpp"

#include <cstdint>
#include <span>
#include <vector>

// Types of values that can be filtered.
#define WARPGRAPH_FOR_EACH_SIGNED(X) X(std::int8_t) X(std::int16_t) X(std::int32_t) X(std::int64_t)
#define WARPGRAPH_FOR_EACH_UNSIGNED(X) \
  X(std::uint8_t) X(std::uint16_t) X(std::uint32_t) X(std::uint64_t)
#define WARPGRAPH_FOR_EACH_FILTERED(X) \
  X(float) X(double) WARPGRAPH_FOR_EACH_SIGNED(X) WARPGRAPH_FOR_EACH_UNSIGNED(X)

namespace warpgraph {

namespace cuda {
class Stream;
}

/// The values from `low` to `high`, both included. A NaN does not pass.
template <class T>
struct Interval {
  T low;
  T high;
};

/// Values in the memory of a device.
template <class T>
struct FilterInput {
  std::span<const T> values;
  Device device = {};
};

/// Filters one value after the other.
template <class T>
HostVector<T> predicate_filter_reference(std::span<const T> values, Interval<T> interval);

struct FilterOptions {
  /// The devices, with an endpoint for each.
  std::vector<Device> devices{Device{}};
  /// The bytes of the host, and of each GPU, for buffers and for a new result; 0: all that are
  /// free.
  std::size_t memory_limit = 0;
};

/// Returns a new result. Throws OutOfMemory, which says what it needs, after all values were read.
/// They are read again if that has become free.
template <class T>
HostVector<T> predicate_filter(FilterInput<T> input, Interval<T> interval,
                               const FilterOptions& options = {});

/// Filters to `passed`, which still has its memory when an exception leaves: where gigabytes take
/// the system a part of a second to free, the caller can answer Ctrl-C first.
template <class T>
void predicate_filter_to(FilterInput<T> input, Interval<T> interval, HostVector<T>& passed,
                         const FilterOptions& options = {});

/// Filters to `out`, whose items after the values that pass do not change. Returns their number.
/// Throws std::invalid_argument if more values pass than fit, after the first ones were written.
template <class T>
std::size_t predicate_filter_into(FilterInput<T> input, Interval<T> interval, std::span<T> out,
                                  const FilterOptions& options = {});

/// Filters values on the stream's device to memory there, which has room for all. Waits for the
/// stream; returns the number of values that pass.
template <class T>
std::size_t predicate_filter_cuda(std::span<const T> values, Interval<T> interval, T* passed,
                                  const cuda::Stream& stream, const FilterOptions& options);

}  // namespace warpgraph
