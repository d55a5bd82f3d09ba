// The point with the largest key, of equal ones the first, on a GPU.
#pragma once

#include "algorithms/kmeans/steps.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/warp.cuh"

namespace warpgraph::kmeans_steps {

/// The farthest of all threads of a block, in its first thread.
template <class T>
__device__ Far<T> farthest_of_block(Far<T> far) {
  __shared__ Far<T> of_warp[cuda::threads_per_block / cuda::warp_size];
  for (int step = cuda::warp_lanes / 2; step > 0; step /= 2) {
    const Far<T> other{__shfl_xor_sync(cuda::all_lanes, far.key, step),
                       __shfl_xor_sync(cuda::all_lanes, far.point, step)};
    far = far.or_farther(other);
  }
  if (cuda::lane() == 0) of_warp[threadIdx.x / cuda::warp_size] = far;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned w = 1; w < blockDim.x / cuda::warp_size; ++w) far = far.or_farther(of_warp[w]);
  }
  __syncthreads();
  return far;
}

/// Body: key_of(p) >= 0, or less for a point that is none of those.
template <class T, class KeyOf>
__global__ void farthest_of_blocks(KeyOf key_of, std::int64_t n_points, Far<T>* of_block) {
  Far<T> far;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t p = cuda::global_index(); p < n_points; p += stride) {
    const T key = key_of(p);
    if (key >= T(0)) far = far.or_farther({key, p});
  }
  far = farthest_of_block(far);
  if (threadIdx.x == 0) of_block[blockIdx.x] = far;
}

template <class T>
__global__ void farthest_of_all(const Far<T>* of_block, std::int64_t n_blocks, Far<T>* result) {
  Far<T> far;
  for (std::int64_t i = threadIdx.x; i < n_blocks; i += blockDim.x) {
    far = far.or_farther(of_block[i]);
  }
  far = farthest_of_block(far);
  if (threadIdx.x == 0) *result = far;
}

/// Writes the farthest point to `result`, on the device; point -1: there is none.
template <class T, class KeyOf>
void find_farthest(const KeyOf& key_of, std::int64_t n_points, Far<T>* result,
                   const cuda::Stream& stream) {
  constexpr std::int64_t most_blocks = 2048;  // enough for every GPU, few enough to compare
  const std::int64_t n_blocks = std::min<std::int64_t>(
      (n_points + cuda::threads_per_block - 1) / cuda::threads_per_block, most_blocks);
  const cuda::DeviceBuffer<Far<T>> of_block(static_cast<std::size_t>(n_blocks), stream);
  cuda::launch(stream, n_blocks, cuda::threads_per_block, 0, farthest_of_blocks<T, KeyOf>, key_of,
               n_points, of_block.data());
  cuda::launch(stream, 1, cuda::threads_per_block, 0, farthest_of_all<T>, of_block.data(), n_blocks,
               result);
}

}  // namespace warpgraph::kmeans_steps
