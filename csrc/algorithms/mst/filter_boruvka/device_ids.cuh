// The chosen entries of a graph, from a bit for each to a list in the order of their positions.
// Private to this folder.
#pragma once

#include "core/containers/bitmap.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "core/types.hpp"

#include <cooperative_groups.h>

namespace warpgraph::mst {

inline constexpr edge_t bits_a_word = 64;

/// Every block lists a stretch of the words, behind what the blocks before it list.
struct ChosenList {
  BitmapView chosen;
  std::int64_t n_words;
  edge_t* positions;
  unsigned long long* block_counts;  // one a block
  unsigned long long* n_chosen;
};

/// The sum of the threads' values, in all threads of the block.
__device__ inline unsigned long long block_sum(unsigned long long value) {
  __shared__ unsigned long long sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  for (int step = cuda::warp_lanes / 2; step > 0; step /= 2) {
    value += __shfl_xor_sync(cuda::all_lanes, value, step);
  }
  if (cuda::lane() == 0 && value != 0) atomicAdd(&sum, value);
  __syncthreads();
  const unsigned long long result = sum;
  __syncthreads();  // before the next call clears it
  return result;
}

/// Words that a warp lists at a time: with 32, few warps would have much to do one after the other.
inline constexpr int words_a_warp = 16;
/// Lanes that so many words keep busy.
inline std::int64_t lanes_to_list(std::size_t n_words) {
  return static_cast<std::int64_t>((n_words + words_a_warp - 1) / words_a_warp) * cuda::warp_lanes;
}
/// So many bits in them, or fewer, are written by the lanes that hold them.
inline constexpr int few_bits = 4 * words_a_warp;

/// Writes the positions of the bits of words_a_warp words, one a lane, of which `all` bits
/// `below` come before the lane's. Where they are dense a word at a time, so that lanes write side
/// by side.
__device__ inline void write_positions(std::uint64_t word, int below, int all,
                                       std::int64_t first_word, edge_t* positions) {
  if (all <= few_bits) {
    const edge_t first = (first_word + cuda::lane()) * bits_a_word;
    for (int place = below; word != 0; word &= word - 1) {
      positions[place++] = first + __ffsll(static_cast<long long>(word)) - 1;
    }
    return;
  }
  int place = 0;
  for (int k = 0; k < words_a_warp; ++k) {
    const std::uint64_t bits = __shfl_sync(cuda::all_lanes, word, k);
    const edge_t first = (first_word + k) * bits_a_word + cuda::lane();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const auto part = static_cast<unsigned>(bits >> (half * cuda::warp_lanes));
      if ((part >> cuda::lane() & 1u) != 0) {
        positions[place + __popc(part & cuda::lanes_below())] = first + half * cuda::warp_lanes;
      }
      place += __popc(part);
    }
  }
}

/// Launch cooperatively.
static __global__ void __launch_bounds__(cuda::threads_per_block) list_chosen(ChosenList list) {
  __shared__ int warp_counts[cuda::threads_per_block / cuda::warp_size];
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

  auto place = static_cast<std::int64_t>(before);
  const unsigned warp = threadIdx.x / cuda::warp_size;
  const std::int64_t words_a_block = blockDim.x / cuda::warp_size * words_a_warp;
  for (std::int64_t first = begin; first < end; first += words_a_block) {
    const std::int64_t first_of_warp = first + warp * words_a_warp;
    const std::int64_t i = first_of_warp + cuda::lane();
    const bool exists = cuda::lane() < words_a_warp && i < end;
    const std::uint64_t word = exists ? list.chosen.words[i] : 0;
    const int mine = __popcll(word);
    const int below = cuda::sum_below(mine);
    const int of_warp = __shfl_sync(cuda::all_lanes, below + mine, cuda::warp_lanes - 1);
    if (cuda::lane() == 0) warp_counts[warp] = of_warp;
    __syncthreads();
    std::int64_t all = 0;
    std::int64_t warp_place = place;
    for (unsigned w = 0; w < blockDim.x / cuda::warp_size; ++w) {
      if (w == warp) warp_place = place + all;
      all += warp_counts[w];
    }
    write_positions(word, below, of_warp, first_of_warp, list.positions + warp_place);
    place += all;
    __syncthreads();  // before the next words' counts
  }
}

}  // namespace warpgraph::mst
