// Finds the point with the largest distance on a GPU; of equal ones the first.
#pragma once

#include "algorithms/kmeans/lloyd.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/warp.cuh"

namespace warpgraph::kmeans_detail {

/// Returns the farthest candidate of all threads of a block in its first thread.
template <class T>
__device__ FarthestCandidate<T> reduce_in_block(FarthestCandidate<T> farthest) {
  __shared__ FarthestCandidate<T> warp_results[cuda::threads_per_block / cuda::warp_lanes];
  for (int step = cuda::warp_lanes / 2; step > 0; step /= 2) {
    const FarthestCandidate<T> other{__shfl_xor_sync(cuda::all_lanes, farthest.distance, step),
                                     __shfl_xor_sync(cuda::all_lanes, farthest.point, step)};
    farthest = farthest.farther(other);
  }
  if (cuda::lane() == 0) warp_results[threadIdx.x / cuda::warp_lanes] = farthest;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned w = 1; w < blockDim.x / cuda::warp_lanes; ++w) {
      farthest = farthest.farther(warp_results[w]);
    }
  }
  __syncthreads();
  return farthest;
}

/// Finds the farthest point of each block. distance_of(p) is the squared distance of point p, or
/// negative if p is not a candidate.
template <class T, class DistanceOf>
__global__ void farthest_per_block(DistanceOf distance_of, std::int64_t n_points,
                                   FarthestCandidate<T>* block_results) {
  FarthestCandidate<T> farthest;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t p = cuda::global_index(); p < n_points; p += stride) {
    const T distance = distance_of(p);
    if (distance >= T(0)) farthest = farthest.farther({distance, p});
  }
  farthest = reduce_in_block(farthest);
  if (threadIdx.x == 0) block_results[blockIdx.x] = farthest;
}

template <class T>
__global__ void reduce_block_results(const FarthestCandidate<T>* block_results,
                                     std::int64_t n_blocks, FarthestCandidate<T>* result) {
  FarthestCandidate<T> farthest;
  for (std::int64_t i = threadIdx.x; i < n_blocks; i += blockDim.x) {
    farthest = farthest.farther(block_results[i]);
  }
  farthest = reduce_in_block(farthest);
  if (threadIdx.x == 0) *result = farthest;
}

/// Writes the farthest point to `result` in device memory; point -1 if there is no candidate.
template <class T, class DistanceOf>
void find_farthest(const DistanceOf& distance_of, std::int64_t n_points,
                   FarthestCandidate<T>* result, const cuda::Stream& stream) {
  constexpr std::int64_t max_blocks =
      2048;  // enough to fill every GPU, few enough for one block to reduce
  const std::int64_t n_blocks = std::min<std::int64_t>(
      (n_points + cuda::threads_per_block - 1) / cuda::threads_per_block, max_blocks);
  const cuda::DeviceBuffer<FarthestCandidate<T>> block_results(static_cast<std::size_t>(n_blocks),
                                                               stream);
  cuda::launch(stream, n_blocks, cuda::threads_per_block, 0, farthest_per_block<T, DistanceOf>,
               distance_of, n_points, block_results.data());
  cuda::launch(stream, 1, cuda::threads_per_block, 0, reduce_block_results<T>, block_results.data(),
               n_blocks, result);
}

}  // namespace warpgraph::kmeans_detail
