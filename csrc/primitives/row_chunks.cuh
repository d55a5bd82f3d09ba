// Chunks of rows: equal parts of long rows, which the warps of a grid share.
#pragma once

#include "core/cuda/warp.cuh"
#include "graph/csr.hpp"

#include <cstdint>

namespace warpgraph {

/// A chunk: the arcs chunk * size .. (chunk + 1) * size of a row.
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

/// Arcs that the lanes of a warp hold, one each.
struct LaneArcs {
  vertex_t tail_of_owner;  // the tail of the arcs that this lane owns
  int owner;               // the lane that owns this lane's arc
  vertex_t head;           // no_vertex if this lane has no arc
  edge_t position;         // position of the arc

  /// Returns the tail of this lane's arc. All lanes call it.
  [[nodiscard]] __device__ vertex_t tail() const {
    return __shfl_sync(cuda::all_lanes, tail_of_owner, owner);
  }
};

/// Visits the `n_arcs` arcs from position `begin` on of each lane's row: all lanes call
/// visit(const LaneArcs (&)[Overlap]) together. The reads of their heads overlap.
template <int Overlap, class Visit>
__device__ void visit_chunks(const CsrPattern& graph, vertex_t tail, edge_t begin, int n_arcs,
                             Visit&& visit) {
  const int start = cuda::warp_exclusive_sum(n_arcs);
  const int total = __shfl_sync(cuda::all_lanes, start + n_arcs, cuda::warp_lanes - 1);
  for (int first = 0; first < total; first += Overlap * cuda::warp_lanes) {
    LaneArcs arcs[Overlap];
#pragma unroll
    for (int i = 0; i < Overlap; ++i) {
      const int arc = first + i * cuda::warp_lanes + cuda::lane();
      const int owner = cuda::owner_of(arc, start);
      const edge_t position = __shfl_sync(cuda::all_lanes, begin - start, owner) + arc;
      arcs[i] = {tail, owner, arc < total ? graph.heads[position] : no_vertex, position};
    }
    visit(arcs);
  }
}

/// Returns how many of n items a warp takes at a time, at most one for each lane. All warps get
/// about as many, in the fewest turns.
__device__ inline std::int64_t share_of_warp(std::int64_t n) {
  const std::int64_t n_warps = cuda::n_global_warps();
  const std::int64_t turns = (n + n_warps * cuda::warp_lanes - 1) / (n_warps * cuda::warp_lanes);
  const std::int64_t shares = n_warps * (turns > 0 ? turns : 1);
  return (n + shares - 1) / shares;
}

}  // namespace warpgraph
