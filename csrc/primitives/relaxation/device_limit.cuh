// set_infinite_beyond() for distances on a device.
#pragma once

#include "core/cuda/launch.cuh"
#include "core/types.hpp"

namespace warpgraph::shortest_paths {

template <class W>
__global__ void set_infinite_beyond_kernel(W limit, W* distances, vertex_t n_vertices) {
  const std::int64_t v = cuda::global_index();
  if (v < n_vertices && limit < distances[v]) distances[v] = infinity<W>();
}

/// Sets distances in device memory that are beyond the limit to infinity. Asynchronous.
template <class W>
void set_infinite_beyond_on(const cuda::Stream& stream, W limit, vertex_t n_vertices,
                            W* distances) {
  if (limit == infinity<W>()) return;
  cuda::launch_for(stream, n_vertices, set_infinite_beyond_kernel<W>, limit, distances, n_vertices);
}

}  // namespace warpgraph::shortest_paths
