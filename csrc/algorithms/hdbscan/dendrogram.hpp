// What the condensed tree is made of on every device: rows of the linkage matrix, and sums of a
// fixed order.
#pragma once

#include "core/types.hpp"

#include <array>
#include <cstdint>

namespace warpgraph::hdbscan {

/// A row of the linkage matrix.
struct Join {
  double first, second;  // nodes: points are 0 .. n-1, row i is n + i
  double height;
  double size;
};
static_assert(sizeof(Join) == 4 * sizeof(double));

WARPGRAPH_HOST_DEVICE inline double lambda_of(double height) noexcept {
  return height > 0 ? 1 / height : infinity<double>();
}

/// A sum whose order suits one thread as well as many: blocks of `block` summands, each from the
/// first to the last; then blocks of as many of these sums, and so on. Its rounding errors are also
/// smaller than those of a sum without blocks.
class OrderedSum {
 public:
  static constexpr std::uint32_t block = 256;

  void add(double summand) noexcept {
    sums_[0] += summand;
    std::uint32_t n_complete = ++n_;
    for (std::size_t level = 0; level + 1 < sums_.size() && n_complete % block == 0; ++level) {
      sums_[level + 1] += sums_[level];
      sums_[level] = 0;
      n_complete /= block;
    }
  }
  [[nodiscard]] double total() const noexcept {
    double sum = sums_[0];
    for (std::size_t level = 1; level < sums_.size(); ++level) sum = sums_[level] + sum;
    return sum;
  }

 private:
  std::array<double, 4> sums_{};  // of the blocks that are not complete, by level
  std::uint32_t n_ = 0;
};

}  // namespace warpgraph::hdbscan
