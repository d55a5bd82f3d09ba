// A list for innermost loops. std::vector::push_back inlines its reallocation, which takes
// registers of the caller and costs graph searches a tenth of their time.
#pragma once

#include "core/memory/spare_blocks.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace warpgraph {

template <class T>
class GrowingList {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GrowingList() = default;
  GrowingList(const GrowingList&) = delete;
  GrowingList& operator=(const GrowingList&) = delete;
  ~GrowingList() { release(); }

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T* data() noexcept { return items_; }
  [[nodiscard]] const T* data() const noexcept { return items_; }
  T& operator[](std::int64_t i) noexcept { return items_[i]; }
  const T& operator[](std::int64_t i) const noexcept { return items_[i]; }

  void push(const T& item) {
    if (size_ == capacity_) [[unlikely]]
      grow();
    items_[size_++] = item;
  }

  /// Pushes the item if it is wanted, without a branch on that.
  void push_if(const T& item, bool wanted) {
    if (size_ == capacity_) [[unlikely]]
      grow();
    items_[size_] = item;
    size_ += static_cast<std::int64_t>(wanted);
  }

  /// Removes the items and keeps their memory.
  void clear() noexcept { size_ = 0; }

  /// Removes the items and leaves their memory, which is in the caches, to this thread's next list.
  void release() noexcept {
    if (items_ != nullptr) SpareBlocks::of_this_thread().give(block());
    items_ = nullptr;
    size_ = capacity_ = 0;
  }

  /// Keeps the first `size` items.
  void shrink_to(std::int64_t size) noexcept { size_ = size; }

 private:
  static constexpr std::size_t first_bytes = std::bit_ceil(64 * sizeof(T));

  /// Returns the list's memory. Its size is a power of two, and need not be a multiple of the
  /// item's.
  [[nodiscard]] Block block() const noexcept {
    if (items_ == nullptr) return {};
    return {items_, std::bit_ceil(static_cast<std::size_t>(capacity_) * sizeof(T))};
  }

  [[gnu::noinline, gnu::cold]] void grow() {
    SpareBlocks& spare = SpareBlocks::of_this_thread();
    const Block larger = items_ != nullptr ? spare.grow(block()) : spare.take(first_bytes);
    items_ = static_cast<T*>(larger.memory);
    capacity_ = static_cast<std::int64_t>(larger.bytes / sizeof(T));
  }

  T* items_ = nullptr;
  std::int64_t size_ = 0;
  std::int64_t capacity_ = 0;
};

}  // namespace warpgraph
