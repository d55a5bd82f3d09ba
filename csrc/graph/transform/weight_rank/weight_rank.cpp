#include "graph/transform/weight_rank/weight_rank.hpp"

#include "core/containers/bitmap.hpp"
#include "core/containers/radix_sort.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/order_key.hpp"
#include "graph/transform/weight_rank/rank_limits.hpp"

#include <algorithm>
#include <bit>

namespace warpgraph {
namespace {

/// Weights whose keys span fewer integers than this are ranked with a bitmap over that span, which
/// fits the second-level cache.
constexpr std::uint64_t max_bitmap_bits = std::uint64_t{1} << 23;

/// Writes the ranks of n items to the narrowest type. rank_of(i, write) calls write(item, rank),
/// where rank 0 is the smallest.
template <class W, class RankOf>
void write_ranks(std::int64_t n, std::int64_t max_nonnegative, WeightRanks<W>& result,
                 RankOf&& rank_of) {
  const auto n_values = static_cast<std::int64_t>(result.values.size());
  const auto write = [&]<class Rank>(HostVector<Rank> ranks) {
    ranks.resize(static_cast<std::size_t>(n));
    parallel_for(n, [&](std::int64_t i) {
      rank_of(i, [&](std::int64_t item, std::int64_t rank) {
        ranks[static_cast<std::size_t>(item)] = static_cast<Rank>(rank + result.first_rank);
      });
    });
    result.ranks = std::move(ranks);
  };
  const bool is_narrow = n_values <= 2 * max_nonnegative;
  result.first_rank = is_narrow && n_values > max_nonnegative ? -max_nonnegative : 0;
  if (is_narrow) {
    write(HostVector<std::int32_t>());
  } else {
    write(HostVector<std::int64_t>());
  }
}

/// The inverse of order_key; zero becomes +0.
template <class W>
W weight_of(order_key_t<W> key) {
  using Key = order_key_t<W>;
  constexpr Key sign = Key{1} << (8 * sizeof(W) - 1);
  if constexpr (std::is_floating_point_v<W>) {
    return std::bit_cast<W>((key & sign) != 0 ? static_cast<Key>(key ^ sign)
                                              : static_cast<Key>(~key));
  } else {
    return static_cast<W>(key ^ sign);
  }
}

/// A bitmap with rank support: counts the set bits before a position.
class RankBitmap {
 public:
  explicit RankBitmap(std::uint64_t size)
      : present_(static_cast<std::int64_t>(size)), word_ranks_(present_.words().size()) {}

  void add(std::uint64_t i) {
    const auto bit = static_cast<std::int64_t>(i);
    if (!present_.view().test(bit)) present_.view().set_atomically(bit);
  }
  /// Call it after the last add(). Returns the number of set bits.
  std::int64_t build_ranks() {
    const auto words = present_.words();
    for (std::size_t w = 0; w < words.size(); ++w) word_ranks_[w] = std::popcount(words[w]);
    return exclusive_scan_in_place(word_ranks_.data(),
                                   static_cast<std::int64_t>(word_ranks_.size()));
  }
  [[nodiscard]] bool contains(std::uint64_t i) {
    return present_.view().test(static_cast<std::int64_t>(i));
  }
  [[nodiscard]] std::int64_t rank(std::uint64_t i) {
    const std::uint64_t below = (std::uint64_t{1} << (i % 64)) - 1;
    return word_ranks_[i / 64] + std::popcount(present_.words()[i / 64] & below);
  }

 private:
  Bitmap present_;
  std::vector<std::int64_t> word_ranks_;  // set bits before each word
};

template <class W>
void rank_by_bitmap(std::span<const W> weights, order_key_t<W> smallest, std::uint64_t size,
                    std::int64_t max_nonnegative, WeightRanks<W>& result) {
  const auto n = static_cast<std::int64_t>(weights.size());
  const auto offset = [&](std::int64_t i) -> std::uint64_t {
    return order_key(weights[static_cast<std::size_t>(i)]) - smallest;
  };
  RankBitmap bitmap(size);
  parallel_for(n, [&](std::int64_t i) { bitmap.add(offset(i)); });
  result.values.resize(static_cast<std::size_t>(bitmap.build_ranks()));
  parallel_for(static_cast<std::int64_t>(size), [&](std::int64_t i) {
    const auto key_offset = static_cast<std::uint64_t>(i);
    if (!bitmap.contains(key_offset)) return;
    result.values[static_cast<std::size_t>(bitmap.rank(key_offset))] =
        weight_of<W>(static_cast<order_key_t<W>>(smallest + key_offset));
  });
  write_ranks(n, max_nonnegative, result,
              [&](std::int64_t i, auto&& write) { write(i, bitmap.rank(offset(i))); });
}

template <class W>
void rank_by_index_sort(std::span<const W> weights, std::int64_t max_nonnegative,
                        WeightRanks<W>& result) {
  const auto n = static_cast<std::int64_t>(weights.size());
  const auto key = [&](std::int64_t i) { return order_key(weights[static_cast<std::size_t>(i)]); };
  const auto order = sorted_by_key(n, key);
  // Gathered once, since the indices lead to random places in `weights`.
  HostVector<order_key_t<W>> sorted(weights.size());
  parallel_for(n,
               [&](std::int64_t i) { sorted[static_cast<std::size_t>(i)] = key(order[i].index); });
  const auto starts_run = [&](std::int64_t i) {
    const auto position = static_cast<std::size_t>(i);
    return i == 0 || sorted[position] != sorted[position - 1];
  };
  // For each position in the order: the number of runs that start before it.
  HostVector<std::int64_t> run_index(weights.size());
  parallel_for(
      n, [&](std::int64_t i) { run_index[static_cast<std::size_t>(i)] = starts_run(i) ? 1 : 0; });
  result.values.resize(static_cast<std::size_t>(exclusive_scan_in_place(run_index.data(), n)));
  parallel_for(n, [&](std::int64_t i) {
    const auto position = static_cast<std::size_t>(i);
    if (starts_run(i)) {
      result.values[static_cast<std::size_t>(run_index[position])] = weight_of<W>(sorted[position]);
    }
  });
  write_ranks(n, max_nonnegative, result, [&](std::int64_t i, auto&& write) {
    write(order[i].index, run_index[static_cast<std::size_t>(i)] - (starts_run(i) ? 0 : 1));
  });
}

/// Sorts the keys alone and finds the rank of each by binary search.
template <class W>
void rank_by_binary_search(std::span<const W> weights, std::int64_t max_nonnegative,
                           WeightRanks<W>& result) {
  const auto n = static_cast<std::int64_t>(weights.size());
  HostVector<order_key_t<W>> keys(weights.size());
  parallel_for(n, [&](std::int64_t i) {
    const auto slot = static_cast<std::size_t>(i);
    keys[slot] = order_key(weights[slot]);
  });
  parallel_sort(keys.begin(), keys.end());
  poll();
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  result.values.resize(keys.size());
  parallel_for(static_cast<std::int64_t>(keys.size()), [&](std::int64_t i) {
    const auto slot = static_cast<std::size_t>(i);
    result.values[slot] = weight_of<W>(keys[slot]);
  });
  write_ranks(n, max_nonnegative, result, [&](std::int64_t i, auto&& write) {
    const auto key = order_key(weights[static_cast<std::size_t>(i)]);
    write(i, std::lower_bound(keys.begin(), keys.end(), key) - keys.begin());
  });
}

}  // namespace

template <class W>
WeightRanks<W> rank_weights_within(const RankLimits& limits, std::span<const W> weights) {
  using Key = order_key_t<W>;
  WeightRanks<W> result;
  if (weights.empty()) {
    result.ranks = HostVector<std::int32_t>();
    return result;
  }
  const auto n = static_cast<std::int64_t>(weights.size());
  const auto key = [&](std::int64_t i) { return order_key(weights[static_cast<std::size_t>(i)]); };
  const Key smallest = parallel_reduce(n, std::numeric_limits<Key>::max(), key,
                                       [](Key a, Key b) { return std::min(a, b); });
  const Key largest = parallel_reduce(n, Key{0}, key, [](Key a, Key b) { return std::max(a, b); });
  // Ranks and values; and at most two items per weight, a key and a count.
  MemoryBudget({}).require("ranking the weights",
                           weights.size() * (sizeof(std::int32_t) + sizeof(W) + 32),
                           "free memory or use a smaller graph");
  if (const std::uint64_t span = largest - smallest; span < max_bitmap_bits) {
    rank_by_bitmap(weights, smallest, span + 1, limits.max_nonnegative, result);
  } else if (n <= limits.max_index_sorted) {
    rank_by_index_sort(weights, limits.max_nonnegative, result);
  } else {
    rank_by_binary_search(weights, limits.max_nonnegative, result);
  }
  return result;
}

template <class W>
WeightRanks<W> rank_weights(std::span<const W> weights) {
  return rank_weights_within({}, weights);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(rank_weights_within)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(rank_weights)

}  // namespace warpgraph
