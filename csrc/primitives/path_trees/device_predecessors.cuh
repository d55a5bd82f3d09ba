// recover_predecessors() for distances on a device.
#pragma once

#include "primitives/relaxation/device_arcs.cuh"

namespace warpgraph::shortest_paths {

/// Start of a search: one vertex, or sorted ones in device memory.
struct DeviceSources {
  vertex_t only = no_vertex;
  const vertex_t* several = nullptr;
  std::int64_t n = 1;

  __device__ vertex_t at(std::int64_t i) const { return several == nullptr ? only : several[i]; }
  __device__ bool has(vertex_t v) const {
    if (several == nullptr) return v == only;
    std::int64_t first = 0, last = n;
    while (first < last) {
      const std::int64_t middle = (first + last) / 2;
      (several[middle] < v ? first : last) = several[middle] < v ? middle + 1 : middle;
    }
    return first < n && several[first] == v;
  }
};

/// Finds predecessors by the rule in sssp.hpp, from distances in device memory.
template <class W>
void recover_predecessors_on(const cuda::Stream& stream, const DeviceArcs<W>& arcs,
                             DeviceSources sources, bool negative_weights, const W* distances,
                             vertex_t* predecessors);

}  // namespace warpgraph::shortest_paths
