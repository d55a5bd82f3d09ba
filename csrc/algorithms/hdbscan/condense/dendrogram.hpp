// The parts of the condensed tree on every device: rows of the linkage matrix, and sums of a fixed
// order.
#pragma once

#include "core/types.hpp"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

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

/// The summands of a block of an ordered sum: they are added from the first to the last. The sums
/// of blocks are divided into blocks in turn, and so on until one is left. One thread can add
/// summands as they come, and many threads a block each. Rounding errors are also smaller than
/// those of one long sum.
inline constexpr std::uint32_t summands_per_block = 256;

/// An ordered sum of fewer than 2^32 summands. UpperLevels has the rest of those that are long.
struct OrderedSum {
  double block = 0;          // of the summands since the last complete block
  std::uint32_t n = 0;       // summands
  std::uint32_t levels = 0;  // index in UpperLevels, once a block is complete
};

/// The sums of complete blocks, of several ordered sums. Most have none.
class UpperLevels {
 public:
  void add(OrderedSum& sum, double summand) {
    sum.block += summand;
    if (++sum.n % summands_per_block == 0) complete_block(sum);
  }
  [[nodiscard]] double total(const OrderedSum& sum) const {
    double total = sum.block;
    if (sum.n < summands_per_block) return total;
    for (const double level : levels_[sum.levels]) total = level + total;
    return total;
  }

 private:
  using Levels = std::array<double, 3>;  // sums of the incomplete blocks of blocks, and so on

  void complete_block(OrderedSum& sum) {
    if (sum.n == summands_per_block) {
      sum.levels = static_cast<std::uint32_t>(levels_.size());
      levels_.push_back({});
    }
    Levels& levels = levels_[sum.levels];
    levels[0] += std::exchange(sum.block, 0);
    std::uint32_t n_blocks = sum.n / summands_per_block;
    for (std::size_t i = 1; i < levels.size() && n_blocks % summands_per_block == 0; ++i) {
      levels[i] += std::exchange(levels[i - 1], 0);
      n_blocks /= summands_per_block;
    }
  }

  std::vector<Levels> levels_;
};

}  // namespace warpgraph::hdbscan
