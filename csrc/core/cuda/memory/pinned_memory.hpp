// A pool of page-locked host memory: locking the pages takes longer than most copies through them.
#pragma once

#include <cstddef>

namespace warpgraph::cuda {

struct PinnedBlock {
  void* memory = nullptr;
  std::size_t bytes = 0;
};

/// Returns a block of at least `bytes` bytes, for copies to and from any device.
[[nodiscard]] PinnedBlock borrow_pinned(std::size_t bytes);

/// Returns a block to the pool, which keeps or frees it. No copy may still use it.
void return_pinned(PinnedBlock block) noexcept;

/// Frees a block that copies may still use. The driver waits for them.
void free_pinned(PinnedBlock block) noexcept;

/// Returns the bytes of idle blocks in the pool: at most max_idle_pinned.
[[nodiscard]] std::size_t idle_pinned_bytes();
inline constexpr std::size_t max_idle_pinned = std::size_t{256} << 20;

/// Frees all idle blocks.
void free_idle_pinned();

}  // namespace warpgraph::cuda
