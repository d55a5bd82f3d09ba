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

/// Upper bound on the span of keys that are ranked with a bitmap over it. The bitmap and its counts
/// take 2 MiB, which fit the second-level cache.
constexpr std::uint64_t max_bitmap_bits = std::uint64_t{1} << 23;

/// Writes the ranks of n items to the narrowest type. rank_of(i, write) calls write(item, rank),
/// where rank 0 is the smallest.
template <class W, class RankOf>
void write_ranks(std::int64_t n, std::int64_t max_from_zero, WeightRanks<W>& result,
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
  const bool is_narrow = n_values <= 2 * max_from_zero;
  result.first_rank = is_narrow && n_values > max_from_zero ? -max_from_zero : 0;
  if (is_narrow) {
    write(HostVector<std::int32_t>());
  } else {
    write(HostVector<std::int64_t>());
  }
}

/// Ranks weights by a bitmap of the weights that occur, with the number of set bits before each
/// word.
template <class W>
void rank_by_bitmap(std::span<const W> weights, order_key_t<W> smallest, std::uint64_t size,
                    std::int64_t max_from_zero, WeightRanks<W>& result) {
  const auto n = static_cast<std::int64_t>(weights.size());
  const auto offset = [&](std::int64_t i) {
    return static_cast<std::int64_t>(order_key(weights[static_cast<std::size_t>(i)]) - smallest);
  };
  Bitmap bitmap(static_cast<std::int64_t>(size));
  const BitmapView present = bitmap.view();
  // Bits are only set: a test that comes before another thread's write costs one more atomic.
  parallel_for(n, [&](std::int64_t i) {
    if (!present.test(offset(i))) present.set_atomically(offset(i));
  });
  std::vector<std::int64_t> word_ranks;
  word_ranks.reserve(bitmap.words().size());
  for (const std::uint64_t word : bitmap.words()) word_ranks.push_back(std::popcount(word));
  result.values.resize(
      static_cast<std::size_t>(exclusive_scan_in_place(word_ranks.data(), std::ssize(word_ranks))));
  const auto rank = [&](std::int64_t bit) {
    const std::uint64_t below = (std::uint64_t{1} << (bit & 63)) - 1;
    return word_ranks[static_cast<std::size_t>(bit >> 6)] +
           std::popcount(present.words[bit >> 6] & below);
  };
  parallel_for(static_cast<std::int64_t>(size), [&](std::int64_t i) {
    if (!present.test(i)) return;
    result.values[static_cast<std::size_t>(rank(i))] =
        from_order_key<W>(static_cast<order_key_t<W>>(smallest + static_cast<order_key_t<W>>(i)));
  });
  write_ranks(n, max_from_zero, result,
              [&](std::int64_t i, auto&& write) { write(i, rank(offset(i))); });
}

template <class W>
void rank_by_index_sort(std::span<const W> weights, std::int64_t max_from_zero,
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
      result.values[static_cast<std::size_t>(run_index[position])] =
          from_order_key<W>(sorted[position]);
    }
  });
  write_ranks(n, max_from_zero, result, [&](std::int64_t i, auto&& write) {
    write(order[i].index, run_index[static_cast<std::size_t>(i)] - (starts_run(i) ? 0 : 1));
  });
}

/// Sorts the keys alone and finds the rank of each by binary search.
template <class W>
void rank_by_binary_search(std::span<const W> weights, std::int64_t max_from_zero,
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
    result.values[slot] = from_order_key<W>(keys[slot]);
  });
  write_ranks(n, max_from_zero, result, [&](std::int64_t i, auto&& write) {
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
  const auto require = [](std::size_t bytes) {
    MemoryBudget().require("ranking the weights", bytes, "use a smaller graph");
  };
  const std::uint64_t span = largest - smallest;
  if (span < max_bitmap_bits) {
    require(weights.size() * sizeof(std::int32_t) + (span + 1) * (sizeof(W) + 1));
  } else {
    // Ranks and values; and at once 16 bytes of items that are sorted, or 8 of an item, 8 of a key
    // and 8 of a count.
    require(weights.size() * (sizeof(std::int64_t) + sizeof(W) + 24));
  }
  if (span < max_bitmap_bits) {
    rank_by_bitmap(weights, smallest, span + 1, limits.max_from_zero, result);
  } else if (n <= limits.max_index_sorted) {
    rank_by_index_sort(weights, limits.max_from_zero, result);
  } else {
    rank_by_binary_search(weights, limits.max_from_zero, result);
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
