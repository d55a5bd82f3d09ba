// Memory for values that pass, whose number is not known before.
#pragma once

#include "core/memory/host_vector.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpgraph {

/// Values are not moved when more come.
template <class T>
class PassedValues {
 public:
  /// Memory for n values, until the destructor.
  T* take(std::size_t n) {
    if (n > free_) {
      // Blocks double: large ones have huge pages.
      const std::size_t doubled = std::min(2 * total_ + smallest_block, largest_block);
      free_ = std::max(n, doubled);
      total_ += free_;
      blocks_.emplace_back(static_cast<std::int64_t>(free_));
      next_ = blocks_.back().get();
    }
    free_ -= n;
    return std::exchange(next_, next_ + n);
  }
  /// The last n values that were taken are not needed.
  void give_back(std::size_t n) {
    next_ -= n;
    free_ += n;
  }

 private:
  static constexpr std::size_t smallest_block = (std::size_t{4} << 10) / sizeof(T);
  static constexpr std::size_t largest_block = (std::size_t{16} << 20) / sizeof(T);

  std::vector<HostArray<T>> blocks_;
  T* next_ = nullptr;
  std::size_t free_ = 0;
  std::size_t total_ = 0;
};

}  // namespace warpgraph
