// The values of an array that lie between two bounds, in their order: the smallest application of
// the runtime.
//
// The array is sent in segments to whichever endpoint is available; so fast endpoints filter more
// than slow ones. An endpoint filters a segment to memory of its own. When all earlier segments are
// counted, the place of its values in the result is known, and it copies them there. So the array
// is read once and the result is written once, and neither has to fit into memory if they are
// mapped files. The endpoints are those of [1], figures 5 and 6, where the host puts all results in
// order.
//
// [1] Ben-Nun, Sutton, Pai, Pingali: "Groute: an asynchronous multi-GPU programming model for
//     irregular computations", PPoPP 2017.
#pragma once

#include "core/device.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/processor/filter_values.hpp"

#include <span>
#include <vector>

namespace warpgraph {

namespace cuda {
class Stream;
}

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
  /// The memory of the host, and of each GPU, for buffers and for a new result.
  MemoryBudget budget = {};
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
