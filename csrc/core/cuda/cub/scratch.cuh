// Scratch memory for CUB.
#pragma once

#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"

#include <algorithm>
#include <cstddef>

namespace warpgraph::cuda {

/// Runs a CUB algorithm: call(nullptr, bytes) sets `bytes`, then call(scratch, bytes) does the
/// work. Allocates at least one byte, since a null pointer would make the second call a size query
/// again.
template <class Call>
void with_scratch(const Stream& stream, Call&& call) {
  const DeviceGuard guard(stream.device());
  std::size_t bytes = 0;
  CUDA_TRY(call(nullptr, bytes));
  const DeviceBuffer<std::byte> scratch(std::max<std::size_t>(bytes, 1), stream);
  CUDA_TRY(call(scratch.data(), bytes));
}

}  // namespace warpgraph::cuda
