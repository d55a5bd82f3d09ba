// The choice between the host and a CUDA device.
#pragma once

#include "core/device.hpp"
#include "core/error.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph {

/// Calls on_cuda(stream) with a stream of the device. Throws DeviceError in a build without CUDA,
/// which does not link what the body of a generic lambda calls.
template <class Result = void, class OnCuda>
Result run_on_cuda([[maybe_unused]] Device device, [[maybe_unused]] OnCuda&& on_cuda) {
#if defined(WARPGRAPH_HAS_CUDA)
  return on_cuda(*cuda::BorrowedStream(device));
#else
  throw DeviceError(cuda_unavailable_reason());
#endif
}

/// Calls on_cpu(), or on_cuda(stream) if `device` is a CUDA device.
template <class OnCpu, class OnCuda>
auto run_on(Device device, OnCpu&& on_cpu, OnCuda&& on_cuda) {
  return device.is_cuda() ? run_on_cuda<decltype(on_cpu())>(device, on_cuda) : on_cpu();
}

}  // namespace warpgraph
