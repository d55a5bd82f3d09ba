// Prefaulting of new host memory.
#pragma once

#include <cstddef>

namespace warpgraph {

/// Returns whether something was written to the page of this address; false if that is unknown.
[[nodiscard]] bool is_mapped(const void* address) noexcept;

/// Maps the whole pages of the memory by this thread; written data stays. This is a hint: Linux
/// before 5.14 maps none.
void populate_pages(void* memory, std::size_t bytes) noexcept;

}  // namespace warpgraph
