// Prefaulting of new host memory.
#pragma once

#include <cstddef>

namespace warpgraph {

/// Makes the kernel map pages that nothing has been written to yet: all threads write a zero to
/// each. To be called while a device is busy: mapping 64 MB of new memory takes longer than copying
/// 64 MB from a device.
void map_pages(void* memory, std::size_t bytes);

}  // namespace warpgraph
