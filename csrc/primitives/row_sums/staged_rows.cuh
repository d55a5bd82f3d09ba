// Sums of rows of medium length with few instructions: eight consecutive rows, an octet, are summed
// at a time, each by four threads. Their heads are copied to shared memory while the octet before
// is summed, which needs no registers, and reads whole sectors though rows begin anywhere.
//
// Where rows have a few dozen arcs, the groups of eight threads of device_row_sums.cuh take three
// times as many instructions, and are limited by them: for an octet of 232 arcs, they compute 58
// addresses and combine sums 16 times where this does it once. Octets of too many arcs are left to
// them.
#pragma once

#include "core/cuda/warp.cuh"
#include "graph/csr.hpp"
#include "primitives/row_sums/row_sums.hpp"

#include <cuda_pipeline_primitives.h>

namespace warpgraph::cuda {

/// Upper bound on the arcs of an octet that is staged.
inline constexpr int max_staged_arcs = 508;

/// Size of a warp's shared memory for the heads of an octet and of the next one. Rows are read up
/// to 15 heads after their ends, and up to 3 heads before the first one are staged.
inline constexpr int stage_heads = max_staged_arcs + 20;
struct OctetStages {
  alignas(16) vertex_t heads[2][stage_heads];
};

namespace detail {

inline constexpr int octet_rows = 8;
inline constexpr int octets_per_warp = warp_lanes / octet_rows;
inline constexpr int lanes_per_row = warp_lanes / octet_rows;
/// Number of heads that one copy to shared memory takes.
inline constexpr int heads_per_copy = 4;

/// Returns whether an octet can be staged. Its rows have `n_arcs` together, the longest has
/// `longest`.
[[nodiscard]] __host__ __device__ constexpr bool can_stage(edge_t n_arcs, edge_t longest) {
  return n_arcs <= max_staged_arcs && longest <= segment_values;
}

/// A lane's row, and the octet that it is in.
struct OctetRow {
  edge_t octet;  // where the heads that are staged begin
  int n_heads;   // number of staged heads, -1 if the octet is not staged
  int place;     // place of the row's first head among them
  int degree;    // -1 if there is no such row

  /// Finds the octet of a lane's row. All lanes of a warp call it for consecutive rows. `begin` is
  /// n_arcs if there is no row.
  __device__ OctetRow(edge_t begin, int degree) : degree(degree) {
    const int first_lane = lane() / octet_rows * octet_rows;
    const edge_t first = __shfl_sync(all_lanes, begin, first_lane);
    const edge_t end = __shfl_sync(all_lanes, begin + max(degree, 0), first_lane + octet_rows - 1);
    const unsigned long_rows = __ballot_sync(all_lanes, degree > segment_values) >> first_lane;
    const bool has_long = (long_rows & ((1u << octet_rows) - 1)) != 0;
    octet = first / heads_per_copy * heads_per_copy;
    n_heads = can_stage(end - first, has_long ? segment_values + 1 : 0)
                  ? static_cast<int>(end - octet)
                  : -1;
    place = static_cast<int>(begin - octet);
  }

  /// Returns whether the octet of this row is staged. The next function tests the k-th octet of the
  /// warp.
  [[nodiscard]] __device__ bool is_staged() const { return n_heads >= 0; }
  [[nodiscard]] __device__ bool is_staged(int k) const {
    return __shfl_sync(all_lanes, n_heads, k * octet_rows) >= 0;
  }

  /// Begins to copy the heads of the k-th octet of the warp.
  __device__ void stage(const CsrPattern& graph, int k, vertex_t* to) const {
    const edge_t first = __shfl_sync(all_lanes, octet, k * octet_rows);
    const int n = __shfl_sync(all_lanes, n_heads, k * octet_rows);
    const vertex_t* const from = graph.heads + first;
    // The graph's last heads may be fewer than one copy takes.
    const auto whole = static_cast<int>(
        min((graph.n_arcs - first) / heads_per_copy, edge_t{stage_heads}) * heads_per_copy);
#pragma unroll 1
    for (int i = heads_per_copy * lane(); i < min(n, whole); i += heads_per_copy * warp_lanes) {
      __pipeline_memcpy_async(to + i, from + i, heads_per_copy * sizeof(vertex_t));
    }
    if (whole + lane() < n) to[whole + lane()] = from[whole + lane()];
    __pipeline_commit();
  }

  /// Returns the sum of a lane's row, in those lanes whose rows are in the k-th octet. Its heads
  /// are staged.
  template <class Value>
  __device__ double sum(const CsrPattern& graph, const Value& value, int k,
                        const vertex_t* heads) const {
    static_assert(sum_lanes == 2 * lanes_per_row);
    constexpr int unrolled = 4;
    const int owner = k * octet_rows + lane() / lanes_per_row;
    const int lane_of_row = lane() % lanes_per_row;
    const int first = __shfl_sync(all_lanes, place, owner) + lane_of_row;
    const int n = __shfl_sync(all_lanes, degree, owner) - lane_of_row;
    const edge_t position = __shfl_sync(all_lanes, octet, owner) + first;
    double sums[2] = {};
#pragma unroll 1
    for (int i = 0; i < n; i += unrolled * lanes_per_row) {
      double values[unrolled];
#pragma unroll
      for (int j = 0; j < unrolled; ++j) {
        const int at = i + j * lanes_per_row;
        values[j] = value(heads[first + at], min(position + at, graph.n_arcs - 1));
      }
#pragma unroll
      for (int j = 0; j < unrolled; ++j) {
        if (i + j * lanes_per_row < n) sums[j % 2] += values[j];
      }
    }
    __syncwarp();
    double all = sums[0] + sums[1];
    all += __shfl_xor_sync(all_lanes, all, 2);
    all += __shfl_xor_sync(all_lanes, all, 1);
    return __shfl_sync(all_lanes, all, lane() % octet_rows * lanes_per_row);
  }
};

}  // namespace detail
}  // namespace warpgraph::cuda
