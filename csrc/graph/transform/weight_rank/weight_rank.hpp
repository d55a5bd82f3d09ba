// Ranks of weights: small integers that compare as the weights do. An algorithm that only compares
// weights, such as a minimum spanning forest, gives the same result for the ranks, and reads half
// the bytes when the weights have 64 bits.
#pragma once

#include "core/memory/host_vector.hpp"

#include <cstdint>
#include <span>
#include <variant>

namespace warpgraph {

template <class W>
struct WeightRanks {
  /// The rank of each weight. The smallest weight has `first_rank`, equal weights have equal ranks,
  /// and the next larger weight has the next rank. 32 bits wide if that suffices.
  std::variant<HostVector<std::int32_t>, HostVector<std::int64_t>> ranks;
  /// The rank of the smallest weight: 0, unless there are so many distinct weights that 32-bit
  /// ranks must start from a negative number.
  std::int64_t first_rank = 0;
  /// The distinct weights in increasing order: values[rank - first_rank].
  HostVector<W> values;
};

/// Ranks weights, none of which may be NaN; -0.0 equals 0.0.
template <class W>
WeightRanks<W> rank_weights(std::span<const W> weights);

}  // namespace warpgraph
