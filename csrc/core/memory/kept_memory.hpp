// Freed large arrays on the host are kept for the next ones, since new pages cost a call with 16
// threads a fourth of its time: the kernel zeroes them, and a freed page interrupts all threads.
// Kept memory is marked as free (MADV_FREE), so the kernel takes it back when it needs memory.
#pragma once

#include <cstddef>

namespace warpgraph {

/// Returns the bytes of freed arrays that are kept.
[[nodiscard]] std::size_t kept_host_memory() noexcept;
/// Returns kept memory to the system.
void release_kept_host_memory() noexcept;
/// Stops keeping memory from now on: the process has limited the memory of a call, which other
/// allocators share.
void stop_keeping_host_memory() noexcept;

}  // namespace warpgraph
