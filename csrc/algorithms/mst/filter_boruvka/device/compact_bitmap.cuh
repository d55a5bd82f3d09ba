// Compaction of the bitmap of chosen entries into a list of their positions in ascending order.
// Private to this folder.
#pragma once

#include "core/containers/bitmap.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "core/types.hpp"

#include <cooperative_groups.h>

namespace warpgraph::mst {

inline constexpr edge_t bits_per_word = 64;

/// A compaction in which every block compacts a range of the words; its output follows that of the
/// blocks before it.
struct BitmapCompaction {
  BitmapView chosen;
  std::int64_t n_words;
  edge_t* positions;
  unsigned long long* block_counts;  // one per block
  unsigned long long* n_chosen;
};

/// Returns the sum of the threads' values to all threads of the block.
__device__ inline unsigned long long block_sum(unsigned long long value) {
  __shared__ unsigned long long sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  value = cuda::warp_sum(value);
  if (cuda::lane() == 0 && value != 0) atomicAdd(&sum, value);
  __syncthreads();
  const unsigned long long result = sum;
  __syncthreads();  // before the next call clears it
  return result;
}

/// The number of words that a warp compacts at a time: with 32, few warps would have long
/// sequential work.
inline constexpr int words_per_warp = 16;
/// Returns the number of lanes that n_words words keep busy.
inline std::int64_t lanes_for_compaction(std::size_t n_words) {
  return static_cast<std::int64_t>((n_words + words_per_warp - 1) / words_per_warp) *
         cuda::warp_lanes;
}
/// The most bits in those words with which each lane writes the bits of its own word.
inline constexpr int max_sparse_bits = 4 * words_per_warp;

/// Writes the positions of the bits of words_per_warp words, one per lane. They have `all` bits, of
/// which `below` come before the lane's. Dense words are written one at a time by all lanes, so
/// that the writes are coalesced.
__device__ inline void write_positions(std::uint64_t word, int below, int all,
                                       std::int64_t first_word, edge_t* positions) {
  if (all <= max_sparse_bits) {
    const edge_t first = (first_word + cuda::lane()) * bits_per_word;
    for (int index = below; word != 0; word &= word - 1) {
      positions[index++] = first + __ffsll(static_cast<long long>(word)) - 1;
    }
    return;
  }
  int index = 0;
  for (int k = 0; k < words_per_warp; ++k) {
    const std::uint64_t bits = __shfl_sync(cuda::all_lanes, word, k);
    const edge_t first = (first_word + k) * bits_per_word + cuda::lane();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const auto part = static_cast<unsigned>(bits >> (half * cuda::warp_lanes));
      if ((part >> cuda::lane() & 1u) != 0) {
        positions[index + __popc(part & cuda::lanemask_lt())] = first + half * cuda::warp_lanes;
      }
      index += __popc(part);
    }
  }
}

/// Compacts the bitmap. Needs a cooperative launch.
static __global__ void __launch_bounds__(cuda::threads_per_block)
    compact_bitmap(BitmapCompaction list) {
  __shared__ int warp_counts[cuda::threads_per_block / cuda::warp_lanes];
  const auto grid = cooperative_groups::this_grid();
  const std::int64_t share = (list.n_words + gridDim.x - 1) / gridDim.x;
  const std::int64_t begin = min(share * blockIdx.x, list.n_words);
  const std::int64_t end = min(begin + share, list.n_words);
  unsigned long long count = 0;
  for (std::int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
    count += static_cast<unsigned long long>(__popcll(list.chosen.words[i]));
  }
  count = block_sum(count);
  if (threadIdx.x == 0) list.block_counts[blockIdx.x] = count;
  grid.sync();
  unsigned long long before = 0;
  for (unsigned b = threadIdx.x; b < blockIdx.x; b += blockDim.x) before += list.block_counts[b];
  before = block_sum(before);
  if (threadIdx.x == 0 && blockIdx.x + 1 == gridDim.x) *list.n_chosen = before + count;

  auto index = static_cast<std::int64_t>(before);
  const unsigned warp = threadIdx.x / cuda::warp_lanes;
  const std::int64_t words_per_block = blockDim.x / cuda::warp_lanes * words_per_warp;
  for (std::int64_t first = begin; first < end; first += words_per_block) {
    const std::int64_t first_of_warp = first + warp * words_per_warp;
    const std::int64_t i = first_of_warp + cuda::lane();
    const bool exists = cuda::lane() < words_per_warp && i < end;
    const std::uint64_t word = exists ? list.chosen.words[i] : 0;
    const int mine = __popcll(word);
    const int below = cuda::warp_exclusive_sum(mine);
    const int of_warp = __shfl_sync(cuda::all_lanes, below + mine, cuda::warp_lanes - 1);
    if (cuda::lane() == 0) warp_counts[warp] = of_warp;
    __syncthreads();
    std::int64_t all = 0;
    std::int64_t warp_index = index;
    for (unsigned w = 0; w < blockDim.x / cuda::warp_lanes; ++w) {
      if (w == warp) warp_index = index + all;
      all += warp_counts[w];
    }
    write_positions(word, below, of_warp, first_of_warp, list.positions + warp_index);
    index += all;
    __syncthreads();  // before the next words' counts
  }
}

}  // namespace warpgraph::mst
