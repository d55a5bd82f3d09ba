#include "graph/transform/weight_rank.hpp"

#include "core/containers/bitmap.hpp"
#include "core/containers/radix_sort.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/order_key.hpp"

#include <algorithm>
#include <bit>

namespace warpgraph {
namespace {

/// Weights that all lie within so many integers are looked up in a bitmap of these, which the
/// second-level cache still holds.
constexpr std::uint64_t largest_table = std::uint64_t{1} << 23;

/// The ranks of n items, 0 for the least, by rank_of(i), written to the narrowest type.
template <class W, class RankOf>
void write_ranks(std::int64_t n, std::int64_t most_positive, WeightRanks<W>& result,
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
  const bool is_narrow = n_values <= 2 * most_positive;
  result.first_rank = is_narrow && n_values > most_positive ? -most_positive : 0;
  if (is_narrow) {
    write(HostVector<std::int32_t>());
  } else {
    write(HostVector<std::int64_t>());
  }
}

/// The weight of a key, the inverse of order_key; zero is positive.
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

/// Which numbers of a range there are, and how many before each.
class PresenceTable {
 public:
  explicit PresenceTable(std::uint64_t size)
      : present_(static_cast<std::int64_t>(size)), before_(present_.words().size()) {}

  void add(std::uint64_t i) {
    const auto bit = static_cast<std::int64_t>(i);
    if (!present_.view().test(bit)) present_.view().set_atomically(bit);
  }
  /// To be called when all are there. Returns how many they are.
  std::int64_t count() {
    const auto words = present_.words();
    for (std::size_t w = 0; w < words.size(); ++w) before_[w] = std::popcount(words[w]);
    return exclusive_scan_in_place(before_.data(), static_cast<std::int64_t>(before_.size()));
  }
  [[nodiscard]] bool contains(std::uint64_t i) {
    return present_.view().test(static_cast<std::int64_t>(i));
  }
  [[nodiscard]] std::int64_t count_before(std::uint64_t i) {
    const std::uint64_t below = (std::uint64_t{1} << (i % 64)) - 1;
    return before_[i / 64] + std::popcount(present_.words()[i / 64] & below);
  }

 private:
  Bitmap present_;
  std::vector<std::int64_t> before_;  // of each word
};

template <class W>
void rank_by_table(std::span<const W> weights, order_key_t<W> least, std::uint64_t size,
                   std::int64_t most_positive, WeightRanks<W>& result) {
  const auto n = static_cast<std::int64_t>(weights.size());
  const auto place = [&](std::int64_t i) -> std::uint64_t {
    return order_key(weights[static_cast<std::size_t>(i)]) - least;
  };
  PresenceTable table(size);
  parallel_for(n, [&](std::int64_t i) { table.add(place(i)); });
  result.values.resize(static_cast<std::size_t>(table.count()));
  parallel_for(static_cast<std::int64_t>(size), [&](std::int64_t i) {
    const auto number = static_cast<std::uint64_t>(i);
    if (!table.contains(number)) return;
    result.values[static_cast<std::size_t>(table.count_before(number))] =
        weight_of<W>(static_cast<order_key_t<W>>(least + number));
  });
  write_ranks(n, most_positive, result,
              [&](std::int64_t i, auto&& write) { write(i, table.count_before(place(i))); });
}

template <class W>
void rank_by_numbers(std::span<const W> weights, std::int64_t most_positive,
                     WeightRanks<W>& result) {
  const auto n = static_cast<std::int64_t>(weights.size());
  const auto key = [&](std::int64_t i) { return order_key(weights[static_cast<std::size_t>(i)]); };
  const auto order = sorted_by_key(n, key);
  // Looked up once, since the numbers lead all over the weights.
  HostVector<order_key_t<W>> sorted(weights.size());
  parallel_for(n,
               [&](std::int64_t i) { sorted[static_cast<std::size_t>(i)] = key(order[i].index); });
  const auto begins = [&](std::int64_t i) {
    const auto place = static_cast<std::size_t>(i);
    return i == 0 || sorted[place] != sorted[place - 1];
  };
  // Of each place in the order: how many places before it begin a new value.
  HostVector<std::int64_t> begun(weights.size());
  parallel_for(n, [&](std::int64_t i) { begun[static_cast<std::size_t>(i)] = begins(i) ? 1 : 0; });
  result.values.resize(static_cast<std::size_t>(exclusive_scan_in_place(begun.data(), n)));
  parallel_for(n, [&](std::int64_t i) {
    const auto place = static_cast<std::size_t>(i);
    if (begins(i))
      result.values[static_cast<std::size_t>(begun[place])] = weight_of<W>(sorted[place]);
  });
  write_ranks(n, most_positive, result, [&](std::int64_t i, auto&& write) {
    write(order[i].index, begun[static_cast<std::size_t>(i)] - (begins(i) ? 0 : 1));
  });
}

/// Sorts the keys alone and looks each of them up.
template <class W>
void rank_by_search(std::span<const W> weights, std::int64_t most_positive,
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
  write_ranks(n, most_positive, result, [&](std::int64_t i, auto&& write) {
    const auto key = order_key(weights[static_cast<std::size_t>(i)]);
    write(i, std::lower_bound(keys.begin(), keys.end(), key) - keys.begin());
  });
}

}  // namespace

template <class W>
WeightRanks<W> rank_weights(std::span<const W> weights, const RankLimits& limits) {
  using Key = order_key_t<W>;
  WeightRanks<W> result;
  if (weights.empty()) {
    result.ranks = HostVector<std::int32_t>();
    return result;
  }
  const auto n = static_cast<std::int64_t>(weights.size());
  const auto key = [&](std::int64_t i) { return order_key(weights[static_cast<std::size_t>(i)]); };
  const Key least = parallel_reduce(n, std::numeric_limits<Key>::max(), key,
                                    [](Key a, Key b) { return std::min(a, b); });
  const Key greatest = parallel_reduce(n, Key{0}, key, [](Key a, Key b) { return std::max(a, b); });
  // Ranks and values; and of each weight at most two items, a key and a count.
  MemoryBudget({}).require("ranking the weights",
                           weights.size() * (sizeof(std::int32_t) + sizeof(W) + 32),
                           "free memory or use a smaller graph");
  if (const std::uint64_t span = greatest - least; span < largest_table) {
    rank_by_table(weights, least, span + 1, limits.most_positive, result);
  } else if (n <= limits.most_numbered) {
    rank_by_numbers(weights, limits.most_positive, result);
  } else {
    rank_by_search(weights, limits.most_positive, result);
  }
  return result;
}

#define WARPGRAPH_INSTANTIATE(W) \
  template WeightRanks<W> rank_weights<W>(std::span<const W>, const RankLimits&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
