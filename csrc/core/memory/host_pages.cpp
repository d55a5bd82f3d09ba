#include "core/memory/host_pages.hpp"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace warpgraph {

#if defined(__linux__)
namespace {

std::uintptr_t page_size() noexcept {
  static const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace
#endif

bool is_mapped([[maybe_unused]] const void* address) noexcept {
#if defined(__linux__)
  const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(address) / page_size() * page_size();
  unsigned char found = 0;
  return mincore(reinterpret_cast<void*>(page), 1, &found) == 0 && (found & 1) != 0;
#else
  return false;
#endif
}

void populate_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
  const std::uintptr_t page = page_size();
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t last = (begin + bytes) / page * page;
  if (first < last) {
    madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
  }
#endif
}

}  // namespace warpgraph
