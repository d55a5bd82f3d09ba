// Arrays that are not initialised. Zeroing gigabytes on one thread, before many threads overwrite
// them, would take as long as the work itself.
#pragma once

#include "core/memory/host_memory.hpp"

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpgraph {

template <class T>
struct UninitialisedAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UninitialisedAllocator<U>;
  };
  [[nodiscard]] T* allocate(std::size_t n) {
    static_assert(alignof(T) <= host_alignment);
    return static_cast<T*>(allocate_host(n * sizeof(T)));
  }
  void deallocate(T* items, std::size_t n) noexcept { free_host(items, n * sizeof(T)); }
  template <class U>
  void construct(U* place) noexcept(noexcept(U())) {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
};

/// A vector whose resize() does not initialise new items.
template <class T>
using HostVector = std::vector<T, UninitialisedAllocator<T>>;

/// Scratch memory of a fixed length; movable, not copyable.
template <class T>
class HostArray {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(alignof(T) <= host_alignment);

 public:
  HostArray() = default;
  explicit HostArray(std::int64_t n)
      : items_(static_cast<T*>(allocate_host(static_cast<std::size_t>(n) * sizeof(T))),
               Free{static_cast<std::size_t>(n) * sizeof(T)}) {}

  [[nodiscard]] T* get() const noexcept { return items_.get(); }
  T& operator[](std::int64_t i) const noexcept { return items_.get()[i]; }
  explicit operator bool() const noexcept { return items_ != nullptr; }

 private:
  struct Free {
    std::size_t bytes = 0;
    void operator()(T* items) const noexcept { free_host(items, bytes); }
  };
  std::unique_ptr<T, Free> items_;
};

}  // namespace warpgraph
