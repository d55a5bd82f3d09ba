// Prefaulting of new host memory.
#pragma once

#include <cstddef>

namespace warpgraph {

/// Whether something was written to the page of this address; false if that is unknown.
[[nodiscard]] bool is_mapped(const void* address) noexcept;

/// Maps the whole pages of the memory by this thread; what was written there stays. A hint: Linux
/// before 5.14 maps none.
void populate_pages(void* memory, std::size_t bytes) noexcept;

}  // namespace warpgraph
