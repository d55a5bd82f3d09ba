#include "core/memory/host_memory.hpp"

#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"

#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace warpgraph {
namespace {

constexpr std::align_val_t line{host_alignment};
constexpr std::align_val_t huge_page{std::size_t{1} << 21};
/// Smaller blocks would waste much of a huge page, and malloc may have free blocks of their size.
constexpr std::size_t smallest_huge = std::size_t{1} << 22;

/// A failure to allocate a large array names its size.
void* allocate_huge(std::size_t bytes) {
  void* const memory = ::operator new(bytes, huge_page, std::nothrow);
  if (memory != nullptr) return memory;
  throw OutOfMemory(concat("an array of ", format_bytes(bytes),
                           " does not fit into the memory that the host has left; free some, or "
                           "pass a smaller problem"));
}

}  // namespace

void* allocate_host(std::size_t bytes) {
  if (bytes < smallest_huge) return ::operator new(bytes, line);
  void* const memory = allocate_huge(bytes);
#if defined(__linux__)
  // A hint. Without huge pages the memory has small ones.
  madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

void free_host(void* memory, std::size_t bytes) noexcept {
  ::operator delete(memory, bytes < smallest_huge ? line : huge_page);
}

}  // namespace warpgraph
