// Host memory for large arrays, in huge pages where the system has them. With small pages, half the
// time of filling a new array goes to page faults, and random access misses the TLB.
#pragma once

#include <cstddef>

namespace warpgraph {

/// Bytes of a cache line.
inline constexpr std::size_t host_alignment = 64;

/// Returns uninitialised memory, aligned to a cache line at least. Throws std::bad_alloc, and
/// OutOfMemory for large arrays.
[[nodiscard]] void* allocate_host(std::size_t bytes);
/// Frees memory that allocate_host() has returned for `bytes`.
void free_host(void* memory, std::size_t bytes) noexcept;

}  // namespace warpgraph
