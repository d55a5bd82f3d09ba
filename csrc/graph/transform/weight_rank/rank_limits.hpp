// The limits of rank_weights, which tests lower to reach the methods for billions of weights.
#pragma once

#include "graph/transform/weight_rank/weight_rank.hpp"

#include <cstdint>
#include <span>

namespace warpgraph {

/// Limits of 32-bit indices and ranks.
struct RankLimits {
  /// Largest number of weights for which sorting moves 32-bit indices of weights. More weights are
  /// sorted by a slower method.
  std::int64_t max_index_sorted = std::int64_t{1} << 32;
  /// Largest number of distinct weights for which ranks start from 0. Up to twice that number,
  /// ranks have 32 bits and start from minus this number. Beyond that, ranks have 64 bits.
  std::int64_t max_from_zero = std::int64_t{1} << 31;
};

template <class W>
WeightRanks<W> rank_weights_within(const RankLimits& limits, std::span<const W> weights);

}  // namespace warpgraph
