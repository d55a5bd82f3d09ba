// Memory of the host that nothing was written to yet, and which of its pages are mapped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace warpgraph::test {

class NewPages {
 public:
  explicit NewPages(std::size_t n)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        bytes_(n * page_),
        memory_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    // Else a page that is written to may map its neighbours.
    madvise(memory_, bytes_, MADV_NOHUGEPAGE);
  }
  NewPages(const NewPages&) = delete;
  NewPages& operator=(const NewPages&) = delete;
  ~NewPages() { munmap(memory_, bytes_); }

  [[nodiscard]] std::size_t page() const { return page_; }
  [[nodiscard]] std::span<std::byte> bytes() const {
    return {static_cast<std::byte*>(memory_), bytes_};
  }
  [[nodiscard]] std::vector<bool> mapped() const {
    std::vector<unsigned char> found(bytes_ / page_);
    mincore(memory_, bytes_, found.data());
    for (unsigned char& page : found) page &= 1;
    return {found.begin(), found.end()};
  }
  [[nodiscard]] std::ptrdiff_t n_mapped() const { return std::ranges::count(mapped(), true); }

 private:
  std::size_t page_;
  std::size_t bytes_;
  void* memory_;
};

}  // namespace warpgraph::test
