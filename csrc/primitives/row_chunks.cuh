// Chunks of rows: equal parts of long rows, which the warps of a grid share.
#pragma once

#include "core/cuda/warp.cuh"
#include "core/types.hpp"

#include <cstdint>

namespace warpgraph {

/// The arcs chunk * size .. (chunk + 1) * size of a row.
struct RowChunk {
  vertex_t vertex;
  std::uint32_t chunk;
};

__host__ __device__ inline std::int64_t chunks_of(edge_t degree, edge_t size) {
  return (degree + size - 1) / size;
}

/// Appends the n chunks of a row to a list of `length` chunks. All lanes of a warp call it.
__device__ inline void append_chunks(RowChunk* list, unsigned long long& length, vertex_t v,
                                     std::int64_t n) {
  const auto first = cuda::warp_fetch_add(length, static_cast<unsigned long long>(n));
  for (std::int64_t i = cuda::lane(); i < n; i += cuda::warp_lanes) {
    list[first + static_cast<unsigned long long>(i)] = {v, static_cast<std::uint32_t>(i)};
  }
}

}  // namespace warpgraph
