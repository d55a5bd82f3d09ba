// The hops from a batch of sources on a device, between the search and the rows of the result. Not
// for use outside this folder.
//
// Number p of a vertex's bit planes holds bit p of the numbers of hops from all sources, a bit of a
// word each. A level that finds sources at a vertex sets their bits in the planes of its number.
// Few levels need few planes: 4 for the 15 levels of a graph with hubs, half a byte for each entry
// of the result. Writing the entries level by level would take a store of 4 or 8 bytes each, would
// write each line of the result in several levels, in part, and would have to fill it before.
#pragma once

#include "algorithms/bfs/from_many/hop_rows.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"

#include <cstdint>

namespace warpgraph::bfs_detail {

using word_t = unsigned long long;  // that of CUDA's atomic functions
inline constexpr int word_bits = 64;
inline constexpr int max_planes = 31;  // bits of a vertex_t

struct HopPlanes {
  int n_words;                 // of each set of sources
  int n_planes;                // hops are less than 2 to this power
  word_t* reached;             // by vertex: n_words words with the set of sources that reach it
  word_t* planes[max_planes];  // each laid out as `reached`; bits of the hops
};

/// Columns of a row: the given targets, or all vertices if `targets` is nullptr.
struct DeviceColumns {
  const vertex_t* targets;
  std::int64_t n;
  __device__ vertex_t vertex_of(std::int64_t column) const {
    return targets != nullptr ? targets[column] : static_cast<vertex_t>(column);
  }
};

/// Writes the rows of the sources first .. first + n - 1 of a batch; `first` is a multiple of 32. A
/// warp has 32 columns of up to 32 sources, so it writes a line of each row. The warps for the same
/// columns follow each other, since they read different words, or halves of words, of the same
/// lines. `size` is at least the number of planes; a constant keeps their words in registers.
template <class T, int size>
__global__ void write_hop_rows(HopPlanes hops, DeviceColumns columns, int first, int n,
                               BfsRows<T> rows) {
  const int n_parts = (n + cuda::warp_lanes - 1) / cuda::warp_lanes;
  const int part = static_cast<int>(cuda::global_warp() % n_parts);
  const std::int64_t column = cuda::global_warp() / n_parts * cuda::warp_lanes + cuda::lane();
  if (column >= columns.n) return;
  const int bit = first + part * cuda::warp_lanes;
  const std::int64_t word =
      std::int64_t{columns.vertex_of(column)} * hops.n_words + bit / word_bits;
  const auto reached = static_cast<std::uint32_t>(hops.reached[word] >> (bit % word_bits));
  std::uint32_t planes[size];
#pragma unroll
  for (int p = 0; p < size; ++p) {
    planes[p] = p < hops.n_planes
                    ? static_cast<std::uint32_t>(hops.planes[p][word] >> (bit % word_bits))
                    : 0;
  }
  T* entry = rows.first + part * cuda::warp_lanes * rows.stride + column;
  const int n_rows = n - part * cuda::warp_lanes;
  for (int i = 0; i < n_rows && i < cuda::warp_lanes; ++i, entry += rows.stride) {
    std::uint32_t depth = 0;
#pragma unroll
    for (int p = 0; p < size; ++p) depth |= (planes[p] >> i & 1u) << p;
    *entry = (reached >> i & 1u) != 0 ? hops_as<T>(static_cast<vertex_t>(depth)) : rows.unreached;
  }
}

/// Launches write_hop_rows. `rows.first` is in device memory.
template <class T>
void launch_write_hop_rows(const HopPlanes& hops, const DeviceColumns& columns, int first, int n,
                           const BfsRows<T>& rows, const cuda::Stream& stream) {
  constexpr std::int64_t lanes = cuda::warp_lanes;
  const std::int64_t n_warps = (columns.n + lanes - 1) / lanes * ((n + lanes - 1) / lanes);
  const auto kernel = hops.n_planes <= 4   ? write_hop_rows<T, 4>
                      : hops.n_planes <= 8 ? write_hop_rows<T, 8>
                                           : write_hop_rows<T, max_planes>;
  cuda::launch_for(stream, n_warps * lanes, kernel, hops, columns, first, n, rows);
}

}  // namespace warpgraph::bfs_detail
