// Pages of fresh host memory, mapped before they are needed.
#pragma once

#include <cstddef>

namespace warpgraph {

/// Has the system map memory that nothing has been written to yet, on all threads, by a zero in
/// every page. To be called while a device is busy: it takes the system longer to find 64 MB of
/// fresh memory than a device to send them.
void map_pages(void* memory, std::size_t bytes);

}  // namespace warpgraph
