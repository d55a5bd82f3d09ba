#include "core/memory/host_memory.hpp"

#include "core/error.hpp"
#include "core/memory/kept_blocks.hpp"
#include "core/memory/kept_memory.hpp"
#include "core/memory/memory_budget.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace warpgraph {
namespace {

constexpr std::align_val_t line{host_alignment};
constexpr std::size_t huge_page = std::size_t{1} << 21;
/// Size in bytes of the smallest block in huge pages: smaller ones would waste much of a page, and
/// malloc may have free blocks of their size.
constexpr std::size_t smallest_huge = std::size_t{1} << 22;

/// Size of the largest array: with a header, a larger size could exceed the largest number.
constexpr std::size_t largest_array = std::numeric_limits<std::size_t>::max() / 2;

/// Header before each large array, in its block.
struct alignas(host_alignment) BlockHeader {
  std::size_t capacity;  // bytes of the block
};

void free_block(void* block) noexcept { std::free(block); }

auto& kept_blocks() noexcept {
  constexpr auto free = [](const KeptBlock& block) { free_block(block.memory); };
  static KeptBlocks blocks(free);
  return blocks;
}

std::atomic<bool> is_stopped{false};

#if defined(__linux__)

// False with the address sanitizer, which would not see that a freed array is used.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool may_keep = false;
#elif defined(__has_feature)
constexpr bool may_keep = !__has_feature(address_sanitizer);
#else
constexpr bool may_keep = true;
#endif

/// Returns the bytes that may be kept: enough for two spanning forests of a graph of a hundred
/// million edges, and a small part of the memory. None where addresses are limited, since other
/// allocations would lack them.
std::size_t max_kept() noexcept {
  constexpr std::size_t most = std::size_t{4} << 30;
  static const std::size_t part_of_memory = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                                            static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 16;
  rlimit addresses{};
  const bool unlimited =
      getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur == RLIM_INFINITY;
  const bool keeps = may_keep && unlimited && !is_stopped.load(std::memory_order_relaxed);
  return keeps ? std::min(most, part_of_memory) : 0;
}

/// Allows the kernel to take the pages until they are written to again.
bool mark_as_free(void* block, std::size_t bytes) noexcept {
  const std::size_t whole_pages = bytes / huge_page * huge_page;
  return madvise(block, whole_pages, MADV_FREE) == 0;
}

/// Returns the whole pages after the first `bytes` to the system.
void drop_pages(const KeptBlock& block, std::size_t bytes) noexcept {
  const std::size_t first = (bytes + huge_page - 1) / huge_page * huge_page;
  const std::size_t last = block.used / huge_page * huge_page;
  if (first < last) {
    madvise(static_cast<char*>(block.memory) + first, last - first, MADV_DONTNEED);
  }
}

/// Asks for huge pages, but for a part of one at the end. This is a hint: without huge pages the
/// memory has small ones.
void request_huge_pages(void* block, std::size_t bytes) noexcept {
  madvise(block, bytes / huge_page * huge_page, MADV_HUGEPAGE);
}

#else

std::size_t max_kept() noexcept { return 0; }
bool mark_as_free(void*, std::size_t) noexcept { return false; }
void drop_pages(const KeptBlock&, std::size_t) noexcept {}
void request_huge_pages(void*, std::size_t) noexcept {}

#endif

void* new_block(std::size_t bytes) {
  // An aligned operator new would round the size up to a multiple of the alignment.
  const auto allocate = [&] {
    void* made = nullptr;
    return posix_memalign(&made, huge_page, bytes) == 0 ? made : nullptr;
  };
  void* block = allocate();
  if (block == nullptr && kept_host_memory() > 0) {
    release_kept_host_memory();
    block = allocate();
  }
  if (block != nullptr) request_huge_pages(block, bytes);
  return block;
}

/// Allocates a large array in huge pages. If that fails, the error names its size.
void* allocate_huge(std::size_t bytes) {
  KeptBlock block{};
  if (bytes <= largest_array) {
    const std::size_t needed = sizeof(BlockHeader) + bytes;
    block = kept_blocks().take(needed);
    if (block.memory != nullptr) {
      drop_pages(block, needed);
    } else {
      block = {new_block(needed), needed};
    }
  }
  if (block.memory == nullptr) {
    throw OutOfMemory(concat("an array of ", format_bytes(bytes),
                             " does not fit into the memory that the host has left; free some, or "
                             "pass a smaller problem"));
  }
  return new (block.memory) BlockHeader{block.capacity} + 1;
}

void free_huge(void* memory, std::size_t bytes) noexcept {
  auto* const header = static_cast<BlockHeader*>(memory) - 1;
  const KeptBlock block{header, header->capacity, sizeof(BlockHeader) + bytes};
  const std::size_t most = max_kept();
  const bool is_kept =
      block.used <= most && mark_as_free(header, block.used) && kept_blocks().keep(block, most);
  if (!is_kept) free_block(header);
}

}  // namespace

void* allocate_host(std::size_t bytes) {
  return bytes < smallest_huge ? ::operator new(bytes, line) : allocate_huge(bytes);
}

void free_host(void* memory, std::size_t bytes) noexcept {
  if (bytes < smallest_huge) {
    ::operator delete(memory, line);
  } else {
    free_huge(memory, bytes);
  }
}

std::size_t kept_host_memory() noexcept { return kept_blocks().total(); }
void release_kept_host_memory() noexcept { kept_blocks().clear(); }
void stop_keeping_host_memory() noexcept {
  is_stopped.store(true, std::memory_order_relaxed);
  release_kept_host_memory();
}

}  // namespace warpgraph
