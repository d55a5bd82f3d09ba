// Host memory for large arrays, in huge pages where the system has them: half the time of filling a
// fresh array goes to the faults of its small pages, and random access misses their translations.
#pragma once

#include <cstddef>

namespace warpgraph {

/// A cache line.
inline constexpr std::size_t host_alignment = 64;

/// Aligned to a cache line at least. Throws std::bad_alloc. What is in the memory is not defined.
[[nodiscard]] void* allocate_host(std::size_t bytes);
/// `bytes` as it was allocated.
void free_host(void* memory, std::size_t bytes) noexcept;

}  // namespace warpgraph
