// Copies of large arrays by all threads.
#pragma once

#include "core/processor/copy_past_caches.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace warpgraph {

/// Copies bytes of an array that is larger than the caches.
inline void copy_by_all(std::byte* to, const std::byte* from, std::int64_t bytes) {
  constexpr std::int64_t block = std::int64_t{1} << 20;
  const auto copy_block = [=](std::int64_t i) {
    const std::int64_t n = std::min(block, bytes - i * block);
    copy_past_caches(to + i * block, from + i * block, static_cast<std::size_t>(n));
  };
  parallel_for((bytes + block - 1) / block, copy_block, 1);
}

}  // namespace warpgraph
