// Prefaulting of new host memory.
#pragma once

#include <cstddef>

namespace warpgraph {

/// Makes the operating system map pages that nothing has been written to yet: all threads write a
/// zero to each. To be called while a device is busy: mapping 64 MB of new memory takes longer than
/// copying 64 MB from a device.
void map_pages(void* memory, std::size_t bytes);

/// Whether something was written to the page of this address; false if that is unknown.
[[nodiscard]] bool is_mapped(const void* address) noexcept;

/// Maps the whole pages of the memory by this thread; what was written there stays. A hint: Linux
/// before 5.14 maps none.
void populate_pages(void* memory, std::size_t bytes) noexcept;

}  // namespace warpgraph
