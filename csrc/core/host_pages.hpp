// Pages of fresh host memory, mapped before they are needed.
#pragma once

#include <cstddef>

namespace warpgraph {

/// Has the system map memory that nothing has been written to yet, on all threads: it is zeroed. To
/// be called while a device is busy, so that what it then sends is written at full speed.
void map_pages(void* memory, std::size_t bytes);

}  // namespace warpgraph
