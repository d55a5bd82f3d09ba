// Loops whose body is an object with a call operator, and scratch memory for CUB.
#pragma once

#include "core/cuda/buffer.hpp"
#include "core/cuda/launch.cuh"

namespace warpgraph::cuda {

template <class Body>
__global__ void for_each_kernel(Body body, std::int64_t n) {
  if (const std::int64_t i = global_index(); i < n) body(i);
}

/// body(i) for every i in 0..n, a thread each. The body is copied to the device.
template <class Body>
void for_each(const Stream& stream, std::int64_t n, const Body& body) {
  launch_for(stream, n, for_each_kernel<Body>, body, n);
}

/// Runs a CUB algorithm: call(scratch, bytes) is asked for its need, then does the work.
template <class Call>
void with_scratch(const Stream& stream, Call&& call) {
  const DeviceGuard guard(stream.device());
  std::size_t bytes = 0;
  CUDA_TRY(call(nullptr, bytes));
  const DeviceBuffer<std::byte> scratch(bytes, stream);
  CUDA_TRY(call(scratch.data(), bytes));
}

}  // namespace warpgraph::cuda
