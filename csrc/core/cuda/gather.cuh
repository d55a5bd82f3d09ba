// Reading an array in an order given by indices.
#pragma once

#include "core/cuda/cub/as_bits.hpp"
#include "core/cuda/launch.cuh"

namespace warpgraph::cuda {

template <class T, class Index>
__global__ void gather_kernel(const T* from, const Index* indices, std::int64_t n, T* to) {
  if (const std::int64_t i = global_index(); i < n) to[i] = from[indices[i]];
}

/// Sets to[i] = from[indices[i]] for i in 0 .. n - 1. Asynchronous.
template <class T, class Index>
void gather(const T* from, const Index* indices, std::int64_t n, T* to, const Stream& stream) {
  launch_for(stream, n, gather_kernel<bits_t<T>, Index>, as_bits(from), indices, n, as_bits(to));
}

}  // namespace warpgraph::cuda
