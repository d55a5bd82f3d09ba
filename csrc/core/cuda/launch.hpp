// The part of a kernel launch that does not depend on the kernel's parameters, compiled once.
#pragma once

#include "core/cuda/stream.hpp"
#include "core/function_ref.hpp"

#include <cstdint>

namespace warpgraph::cuda {

inline constexpr unsigned threads_per_block = 256;
inline constexpr std::int64_t largest_grid = 0x7fffffff;  // blocks in one dimension

namespace detail {

/// Function that starts a certain kernel with certain arguments, in this configuration.
using Start = FunctionRef<void(const cudaLaunchConfig_t&)>;

void launch(const Stream& stream, bool cooperative, std::int64_t blocks, unsigned threads,
            std::size_t shared, const void* kernel, const Start& start);
[[nodiscard]] std::int64_t resident_blocks(const Stream& stream, const void* kernel,
                                           unsigned threads, std::size_t shared);

}  // namespace detail

[[nodiscard]] std::int64_t multiprocessors(const Stream& stream);

}  // namespace warpgraph::cuda
