// Ranks of weights with lowered limits, against a sorted list: few weights stand for billions.
#include "graph/generate/random.hpp"
#include "graph/transform/weight_rank/rank_limits.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <type_traits>
#include <variant>
#include <vector>

namespace warpgraph {
namespace {

template <class W>
class WeightRank : public testing::Test {
 protected:
  /// `spread`: the number of different weights at most, next to each other; 0: any bits.
  static std::vector<W> draw(std::uint64_t spread) {
    const CounterRandom random(3, 0);
    std::vector<W> weights;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      if (spread > 0) {
        weights.push_back(static_cast<W>(random.below(i, spread)) - static_cast<W>(spread / 2));
      } else if constexpr (std::is_floating_point_v<W>) {
        const auto value = static_cast<W>(random.below(i % 5000, 1u << 30));
        weights.push_back((i % 2 == 0 ? 1 : -1) * value * std::numeric_limits<W>::epsilon());
      } else {
        constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<W>::max());
        const auto value = static_cast<W>(random.below(i % 5000, largest));
        weights.push_back(i % 2 == 0 ? value : -value);
      }
    }
    return weights;
  }

  template <class Rank>
  static void expect_ranks(const std::vector<W>& weights, const RankLimits& limits,
                           std::int64_t first_rank) {
    std::vector<W> values = weights;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    const WeightRanks<W> found = rank_weights_within<W>(limits, weights);
    EXPECT_EQ(found.first_rank, first_rank);
    EXPECT_TRUE(std::equal(values.begin(), values.end(), found.values.begin(), found.values.end()));
    ASSERT_TRUE(std::holds_alternative<HostVector<Rank>>(found.ranks));
    const auto& ranks = std::get<HostVector<Rank>>(found.ranks);
    ASSERT_EQ(ranks.size(), weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const auto rank = static_cast<std::size_t>(ranks[i] - first_rank);
      ASSERT_EQ(values[rank], weights[i]) << i;
    }
  }

  static std::int64_t count_values(std::vector<W> weights) {
    std::sort(weights.begin(), weights.end());
    return std::unique(weights.begin(), weights.end()) - weights.begin();
  }
};

using Weights = testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(WeightRank, Weights);

TYPED_TEST(WeightRank, BecomesNegativeAndThenWide) {
  for (const std::uint64_t spread : {600, 0}) {  // by a table, by sorting
    const std::vector<TypeParam> weights = this->draw(spread);
    const std::int64_t n = this->count_values(weights);
    for (const std::int64_t max_index_sorted : {std::int64_t{1} << 32, std::int64_t{10}}) {
      const auto limits = [&](std::int64_t most) { return RankLimits{max_index_sorted, most}; };
      this->template expect_ranks<std::int32_t>(weights, {max_index_sorted}, 0);
      this->template expect_ranks<std::int32_t>(weights, limits(n), 0);
      this->template expect_ranks<std::int32_t>(weights, limits(n - 1), 1 - n);
      this->template expect_ranks<std::int32_t>(weights, limits((n + 1) / 2), -((n + 1) / 2));
      this->template expect_ranks<std::int64_t>(weights, limits((n - 1) / 2), 0);
    }
  }
}

}  // namespace
}  // namespace warpgraph
