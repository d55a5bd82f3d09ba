// The values of an array that lie between two bounds, in their order.
//
// The array is sent in segments to whichever endpoint of the runtime is available; so fast
// endpoints filter more than slow ones. They send back what has passed, with the segment's
// position, by which the host puts the results in order. The array is read once, and need not fit
// into memory. The method is that of [1], figures 5 and 6.
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

/// low <= value <= high. A NaN does not pass.
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

/// One value after the other.
template <class T>
HostVector<T> predicate_filter_reference(std::span<const T> values, Interval<T> interval);

/// On an endpoint for each entry of `devices`.
template <class T>
HostVector<T> predicate_filter(FilterInput<T> input, Interval<T> interval,
                               const std::vector<Device>& devices);

/// Of values on the stream's device, to memory there, which has room for all. Waits for the stream;
/// returns the number of values that pass.
template <class T>
std::size_t predicate_filter_cuda(std::span<const T> values, Interval<T> interval,
                                  const std::vector<Device>& devices, T* passed,
                                  const cuda::Stream& stream);

}  // namespace warpgraph
