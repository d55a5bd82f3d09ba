// A parallel loop whose body is a function object.
#pragma once

#include "core/cuda/launch.cuh"

namespace warpgraph::cuda {

template <class Body>
__global__ void for_each_kernel(Body body, std::int64_t n) {
  if (const std::int64_t i = global_index(); i < n) body(i);
}

/// Calls body(i) for every i in 0 .. n - 1, one thread each. Asynchronous; the body is copied to
/// the device.
template <class Body>
void for_each(const Stream& stream, std::int64_t n, const Body& body) {
  launch_for(stream, n, for_each_kernel<Body>, body, n);
}

}  // namespace warpgraph::cuda
