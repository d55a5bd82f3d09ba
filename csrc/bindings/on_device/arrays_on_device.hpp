// New arrays on a CUDA device.
#pragma once

#include "bindings/call.hpp"
#include "bindings/core/device_array.hpp"
#include "core/memory/memory_budget.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph {

#if defined(WARPGRAPH_HAS_CUDA)
/// Returns an array of n items that fill(to, stream) writes.
template <class T, class Fill>
Owned<DeviceArray> new_array_on(Device device, std::size_t n, DeviceArray::Extents shape,
                                py::dtype dtype, Fill&& fill) {
  MemoryBudget(device).require("copying the graph", n * sizeof(T),
                               "pass copy=False, or clear() graphs that are no longer needed");
  const cuda::BorrowedStream stream(device, cuda::Lifetime::kept);
  cuda::DeviceBuffer<T> made(n, *stream);
  run_released([&] {
    fill(made.data(), *stream);
    (*stream).synchronize();
  });
  T* const data = made.data();
  return hand_over(std::make_unique<DeviceArray>(share(std::move(made), device), data,
                                                 std::move(shape), std::move(dtype), device));
}
#endif

}  // namespace warpgraph
