// Page-locked host memory to borrow: to lock its pages takes longer than most copies that go
// through it.
#pragma once

#include <cstddef>

namespace warpgraph::cuda {

struct PinnedBlock {
  void* memory = nullptr;
  std::size_t bytes = 0;
};

/// At least so many bytes, for copies to and from any device.
[[nodiscard]] PinnedBlock borrow_pinned(std::size_t bytes);

/// Gives a block back, which the pool keeps or frees. No device may be going to use it.
void return_pinned(PinnedBlock block) noexcept;

/// Frees a block that a device may still use. The driver waits for that.
void free_pinned(PinnedBlock block) noexcept;

/// Bytes that the pool keeps and nobody has borrowed: at most most_idle_pinned.
[[nodiscard]] std::size_t idle_pinned_bytes();
inline constexpr std::size_t most_idle_pinned = std::size_t{256} << 20;

/// Frees all of these.
void free_idle_pinned();

}  // namespace warpgraph::cuda
