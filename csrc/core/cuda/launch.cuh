// Checked kernel launches.
#pragma once

#include "core/cuda/cub/as_bits.hpp"
#include "core/cuda/launch.hpp"

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace warpgraph::cuda {

namespace detail {

/// Launches a kernel by cudaLaunchKernelEx instead of <<<>>>, so that a launch is plain C++.
template <class... Parameters, class... Arguments>
void launch(const Stream& stream, bool cooperative, std::int64_t blocks, unsigned threads,
            std::size_t shared, void (*kernel)(Parameters...), Arguments&&... arguments) {
  if (blocks == 0) return;
  const Launch made(stream, cooperative, blocks, threads, shared,
                    reinterpret_cast<const void*>(kernel));
  Launch::check(cudaLaunchKernelEx(made.config(), kernel, static_cast<Parameters>(arguments)...));
}

}  // namespace detail

/// Launches kernel(arguments...) in blocks of `threads` threads with `shared` bytes of dynamic
/// shared memory per block. Throws on failure. Does nothing for 0 blocks.
template <class... Parameters, class... Arguments>
void launch(const Stream& stream, std::int64_t blocks, unsigned threads, std::size_t shared,
            void (*kernel)(Parameters...), Arguments&&... arguments) {
  detail::launch(stream, false, blocks, threads, shared, kernel,
                 std::forward<Arguments>(arguments)...);
}

/// Returns the number of blocks of a kernel that the stream's device can run concurrently.
template <class... Parameters>
std::int64_t resident_blocks(const Stream& stream, void (*kernel)(Parameters...), unsigned threads,
                             std::size_t shared) {
  return detail::resident_blocks(stream, reinterpret_cast<const void*>(kernel), threads, shared);
}

/// Launches at most resident_blocks() blocks, which all run concurrently and may call
/// cooperative_groups::this_grid().sync().
template <class... Parameters, class... Arguments>
void launch_cooperative(const Stream& stream, std::int64_t blocks, unsigned threads,
                        std::size_t shared, void (*kernel)(Parameters...),
                        Arguments&&... arguments) {
  detail::launch(stream, true, blocks, threads, shared, kernel,
                 std::forward<Arguments>(arguments)...);
}

/// Launches one thread per item in blocks of threads_per_block; the kernel must check its index
/// against n.
template <class... Parameters, class... Arguments>
void launch_for(const Stream& stream, std::int64_t n, void (*kernel)(Parameters...),
                Arguments&&... arguments) {
  launch(stream, (n + threads_per_block - 1) / threads_per_block, threads_per_block, 0, kernel,
         std::forward<Arguments>(arguments)...);
}

/// Returns the index of this thread in a launch_for grid; 64 bits, for graphs of more than 2^31
/// arcs.
__device__ inline std::int64_t global_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/// Returns the dynamic shared memory of this block, aligned for every type. It is one untyped
/// array, since all kernels of a translation unit share its declaration.
template <class T>
__device__ T* dynamic_shared() {
  alignas(16) extern __shared__ unsigned char dynamic_shared_memory[];
  return reinterpret_cast<T*>(dynamic_shared_memory);
}

template <class T>
__global__ void fill_kernel(T* to, T value, std::int64_t n) {
  if (const std::int64_t i = global_index(); i < n) to[i] = value;
}

template <class T>
void fill(T* to, T value, std::int64_t n, const Stream& stream) {
  if constexpr (std::is_arithmetic_v<T> && sizeof(T) >= 4) {
    launch_for(stream, n, fill_kernel<bits_t<T>>, as_bits(to), std::bit_cast<bits_t<T>>(value), n);
  } else {
    launch_for(stream, n, fill_kernel<T>, to, value, n);
  }
}

template <class T>
__global__ void iota_kernel(T* to, std::int64_t n) {
  if (const std::int64_t i = global_index(); i < n) to[i] = static_cast<T>(i);
}

/// Sets to[i] = i.
template <class T>
void iota(T* to, std::int64_t n, const Stream& stream) {
  launch_for(stream, n, iota_kernel<T>, to, n);
}

}  // namespace warpgraph::cuda
