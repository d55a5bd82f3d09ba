// Weights as small integers that compare as they do. An algorithm that only compares weights, such
// as a minimum spanning forest, gives the same answer for the ranks, and reads half the bytes where
// the weights have 64 bits.
#pragma once

#include "core/memory/host_vector.hpp"

#include <cstdint>
#include <span>
#include <variant>

namespace warpgraph {

template <class W>
struct WeightRanks {
  /// The rank of each weight: the least has `first_rank`, equal weights have equal ranks, and the
  /// next greater weight has the next rank. 32 bits wide if that many ranks are enough.
  std::variant<HostVector<std::int32_t>, HostVector<std::int64_t>> ranks;
  /// 0, unless there are so many different weights that 32 bits must count from their least.
  std::int64_t first_rank = 0;
  /// The different weights in their order: values[rank - first_rank].
  HostVector<W> values;
};

/// What 32 bits can number. Others are for tests.
struct RankLimits {
  /// Sorting moves 32-bit numbers of weights; more weights than that are sorted otherwise, which
  /// takes longer.
  std::int64_t most_numbered = std::int64_t{1} << 32;
  /// Different weights whose ranks start from 0. Up to twice as many have ranks of 32 bits that
  /// start from minus this, still more have ranks of 64 bits.
  std::int64_t most_positive = std::int64_t{1} << 31;
};

/// No weight may be NaN; -0.0 equals 0.0.
template <class W>
WeightRanks<W> rank_weights(std::span<const W> weights, const RankLimits& limits = {});

}  // namespace warpgraph
