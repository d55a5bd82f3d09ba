#include "core/host_pages.hpp"

#include "core/parallel.hpp"

#include <cstring>

namespace warpgraph {

void map_pages(void* memory, std::size_t bytes) {
  // A huge page for each thread: whoever comes first has to zero all of it.
  constexpr std::int64_t piece = 2 << 20;
  parallel_blocks(
      static_cast<std::int64_t>(bytes), piece, [&](int, std::int64_t first, std::int64_t last) {
        std::memset(static_cast<char*>(memory) + first, 0, static_cast<std::size_t>(last - first));
      });
}

}  // namespace warpgraph
