// The one checked launch.
#pragma once

#include "core/cuda/stream.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace warpgraph::cuda {

inline constexpr unsigned threads_per_block = 256;
inline constexpr unsigned warp_size = 32;
inline constexpr std::int64_t largest_grid = 0x7fffffff;  // blocks in one dimension

/// kernel<<<blocks, threads, shared, stream>>>(arguments...), checked. No blocks: no launch.
template <class... Parameters, class... Arguments>
void launch(const Stream& stream, std::int64_t blocks, unsigned threads, std::size_t shared,
            void (*kernel)(Parameters...), Arguments&&... arguments) {
  if (blocks == 0) return;
  EXPECTS(blocks <= largest_grid, "a launch of ", blocks, " blocks is beyond the grid limit");
  const DeviceGuard guard(stream.device());
  kernel<<<static_cast<unsigned>(blocks), threads, shared, stream.get()>>>(
      static_cast<Parameters>(arguments)...);
  CUDA_TRY(cudaGetLastError());
}

/// Blocks of a kernel that the stream's device runs at the same time.
template <class... Parameters>
std::int64_t resident_blocks(const Stream& stream, void (*kernel)(Parameters...), unsigned threads,
                             std::size_t shared) {
  const DeviceGuard guard(stream.device());
  int a_multiprocessor = 0;
  int multiprocessors = 0;
  CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, kernel,
                                                         static_cast<int>(threads), shared));
  CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount,
                                  stream.device().index));
  return static_cast<std::int64_t>(a_multiprocessor) * multiprocessors;
}

/// As launch, but all blocks run at once and may meet at cooperative_groups::this_grid().sync().
/// There must be no more than resident_blocks().
template <class... Parameters, class... Arguments>
void launch_cooperative(const Stream& stream, std::int64_t blocks, unsigned threads,
                        std::size_t shared, void (*kernel)(Parameters...),
                        Arguments&&... arguments) {
  const DeviceGuard guard(stream.device());
  std::tuple<Parameters...> copies(static_cast<Parameters>(arguments)...);
  std::apply(
      [&](auto&... copy) {
        void* pointers[] = {const_cast<void*>(static_cast<const void*>(&copy))...};
        CUDA_TRY(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel),
                                             dim3(static_cast<unsigned>(blocks)), dim3(threads),
                                             pointers, shared, stream.get()));
      },
      copies);
}

/// One thread an item, in blocks of threads_per_block; the kernel checks its index against n.
template <class... Parameters, class... Arguments>
void launch_for(const Stream& stream, std::int64_t n, void (*kernel)(Parameters...),
                Arguments&&... arguments) {
  launch(stream, (n + threads_per_block - 1) / threads_per_block, threads_per_block, 0, kernel,
         std::forward<Arguments>(arguments)...);
}

/// The index of this thread in a launch_for grid; 64 bits, since arcs need them.
__device__ inline std::int64_t global_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

template <class T>
__global__ void fill_kernel(T* to, T value, std::int64_t n) {
  if (const std::int64_t i = global_index(); i < n) to[i] = value;
}

template <class T>
void fill(T* to, T value, std::int64_t n, const Stream& stream) {
  launch_for(stream, n, fill_kernel<T>, to, value, n);
}

template <class T>
__global__ void iota_kernel(T* to, std::int64_t n) {
  if (const std::int64_t i = global_index(); i < n) to[i] = static_cast<T>(i);
}

/// to[i] = i.
template <class T>
void iota(T* to, std::int64_t n, const Stream& stream) {
  launch_for(stream, n, iota_kernel<T>, to, n);
}

}  // namespace warpgraph::cuda
