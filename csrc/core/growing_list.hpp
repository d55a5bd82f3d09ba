// A list for the innermost loops: std::vector's push_back keeps its way of growing in the caller's
// registers, which costs a search of graphs a tenth of its time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace warpgraph {

template <class T>
class GrowingList {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] const T* data() const noexcept { return items_.get(); }
  T& operator[](std::int64_t i) noexcept { return items_[static_cast<std::size_t>(i)]; }
  const T& operator[](std::int64_t i) const noexcept { return items_[static_cast<std::size_t>(i)]; }

  void push(const T& item) {
    if (size_ == capacity_) [[unlikely]]
      grow();
    items_[static_cast<std::size_t>(size_++)] = item;
  }

  /// Forgets the items and keeps their memory.
  void clear() noexcept { size_ = 0; }

  /// Keeps the first `size` items.
  void shrink_to(std::int64_t size) noexcept { size_ = size; }

 private:
  static constexpr std::int64_t first_capacity = 64;

  // realloc() moves pages where there are many instead of copying what is on them.
  [[gnu::noinline, gnu::cold]] void grow() {
    const std::int64_t capacity = std::max(first_capacity, 2 * capacity_);
    void* const larger = std::realloc(items_.get(), static_cast<std::size_t>(capacity) * sizeof(T));
    if (larger == nullptr) throw std::bad_alloc();
    static_cast<void>(items_.release());
    items_.reset(static_cast<T*>(larger));
    capacity_ = capacity;
  }

  struct Free {
    void operator()(void* place) const noexcept { std::free(place); }
  };
  std::unique_ptr<T[], Free> items_;
  std::int64_t size_ = 0;
  std::int64_t capacity_ = 0;
};

}  // namespace warpgraph
