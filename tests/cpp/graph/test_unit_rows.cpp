// Directions of parallel rows are one, of others their own.
#include "graph/generate/random.hpp"
#include "graph/points/integer_ratios.hpp"
#include "graph/points/unit_rows.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace warpgraph {
namespace {

template <class T>
std::vector<T> units_of(const std::vector<T>& rows, std::int64_t dimension) {
  std::vector<T> units(rows.size());
  const auto n = static_cast<vertex_t>(static_cast<std::int64_t>(rows.size()) / dimension);
  EXPECT_EQ(unit_rows<T>({rows.data(), n, dimension}, units), n);
  return units;
}

template <class T>
std::vector<T> multiplied(std::vector<T> rows, T factor) {
  for (T& x : rows) x *= factor;
  return rows;
}

template <class T>
class UnitRows : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(UnitRows, Reals);

TYPED_TEST(UnitRows, IntegersHaveTheSameBitsWhateverTheFactor) {
  using T = TypeParam;
  const CounterRandom random(7, 1);
  constexpr std::int64_t d = 5, n = 400;
  std::vector<T> rows;
  for (std::uint64_t i = 0; i < n * d; ++i)
    rows.push_back(static_cast<T>(random.below(i, 900)) - 300);
  const std::vector<T> units = units_of(rows, d);
  const T tiny = std::is_same_v<T, float> ? T(1e-30) : T(1e-200);
  for (const T factor : {T(3), T(0.1), T(1024), T(7.3e8), tiny, T(1) / 3}) {
    EXPECT_EQ(units_of(multiplied(rows, factor), d), units) << factor;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::int64_t k = 0; k < d; ++k)
      sum += std::pow(units[static_cast<std::size_t>(i * d + k)], 2);
    EXPECT_NEAR(sum, 1, 4 * std::numeric_limits<T>::epsilon());
  }
}

TYPED_TEST(UnitRows, FloatsThatAreRoundedMultiplesAreJoined) {
  using T = TypeParam;
  const CounterRandom random(8, 1);
  for (const std::int64_t d : {1, 2, 7, 300}) {
    constexpr std::int64_t n_directions = 20, n_multiples = 30;
    std::vector<T> rows;
    for (std::int64_t i = 0; i < n_directions; ++i) {
      std::vector<T> row;
      for (std::int64_t k = 0; k < d; ++k) {
        const auto index = static_cast<std::uint64_t>(i * d + k);
        row.push_back(static_cast<T>(random.uniform(index) - 0.5));
      }
      for (std::int64_t m = 0; m < n_multiples; ++m) {
        const auto index = static_cast<std::uint64_t>(i * n_multiples + m);
        const T factor = static_cast<T>(random.uniform(1'000'000 + index) + 0.01);
        for (const T x : row) rows.push_back(x * factor);
      }
    }
    const std::vector<T> units = units_of(rows, d);
    for (std::int64_t i = 0; i < n_directions; ++i) {
      const auto first = units.begin() + i * n_multiples * d;
      for (std::int64_t m = 1; m < n_multiples; ++m) {
        EXPECT_TRUE(std::equal(first, first + d, first + m * d)) << d << ' ' << i << ' ' << m;
      }
    }
  }
}

TYPED_TEST(UnitRows, TheOrderOfRowsDoesNotMatterWhereManyAreNear) {
  using T = TypeParam;
  const CounterRandom random(9, 1);
  constexpr std::int64_t d = 2, n = 3000;  // directions a few roundings apart, without a gap
  std::vector<T> rows;
  for (std::uint64_t i = 0; i < n; ++i) {
    rows.push_back(1);
    const auto steps = static_cast<T>(random.below(i, 500));
    rows.push_back(T(0.7) + steps * std::numeric_limits<T>::epsilon());
  }
  const std::vector<T> units = units_of(rows, d);
  std::vector<std::int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return random.bits(static_cast<std::uint64_t>(a)) < random.bits(static_cast<std::uint64_t>(b));
  });
  std::vector<T> shuffled, wanted;
  for (const std::int64_t i : order) {
    shuffled.insert(shuffled.end(), rows.begin() + d * i, rows.begin() + d * (i + 1));
    wanted.insert(wanted.end(), units.begin() + d * i, units.begin() + d * (i + 1));
  }
  EXPECT_EQ(units_of(shuffled, d), wanted);
  double moved = 0;
  for (std::size_t i = 0; i < rows.size(); i += 2) {
    const double length = std::hypot(double(rows[i]), double(rows[i + 1]));
    moved = std::max(moved, std::abs(double(units[i + 1]) - double(rows[i + 1]) / length));
  }
  EXPECT_LT(moved, rounding_of_directions<T>().relative + 2 * std::numeric_limits<T>::epsilon());
}

TYPED_TEST(UnitRows, QueriesTakeTheDirectionsOfFittedRows) {
  using T = TypeParam;
  const CounterRandom random(10, 1);
  constexpr std::int64_t d = 4, n = 500;
  std::vector<T> rows;
  for (std::uint64_t i = 0; i < n * d; ++i) rows.push_back(static_cast<T>(random.uniform(i) - 0.5));
  const std::vector<T> fitted = units_of(rows, d);
  std::vector<T> queries = units_of(multiplied(rows, T(0.37)), d);
  take_near_rows<T>(queries, {fitted.data(), n, d}, rounding_of_directions<T>());
  EXPECT_EQ(queries, fitted);
  std::vector<T> others = units_of<T>({1, 2, 3, 4}, d);
  const std::vector<T> before = others;
  take_near_rows<T>(others, {fitted.data(), n, d}, rounding_of_directions<T>());
  EXPECT_EQ(others, before);
}

TEST(UnitRows, DirectionsThatDifferByMoreThanRoundingAreKept) {
  const std::vector<double> rows{1, 0, 1, 1e-15, 1, 2e-15, 1, 1e-40, 1, 2e-40, 1, -1e-40};
  const std::vector<double> units = units_of(rows, 2);
  std::vector<double> second;
  for (std::size_t i = 1; i < units.size(); i += 2) second.push_back(units[i]);
  EXPECT_EQ(second, (std::vector<double>{0, 1e-15, 2e-15, 1e-40, 2e-40, -1e-40}));
}

TEST(UnitRows, RangesBeyondSquares) {
  const double least = std::numeric_limits<double>::denorm_min();
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(units_of<double>({least, 0, most, 0, most, most, least, least, most, least}, 2),
            (std::vector<double>{1, 0, 1, 0, 1 / std::sqrt(2.0), 1 / std::sqrt(2.0),
                                 1 / std::sqrt(2.0), 1 / std::sqrt(2.0), 1, 0}));
}

TEST(IntegerRatios, AreFoundInRoundedMultiples) {
  const CounterRandom random(11, 1);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const std::uint64_t largest = std::uint64_t{1} << (1 + i % 20);
    std::vector<double> integers, numbers;
    std::int64_t divisor = 0;
    for (std::uint64_t k = 0; k < 3; ++k) {
      const auto x = static_cast<std::int64_t>(1 + random.below(3 * i + k, largest - 1));
      divisor = std::gcd(divisor, x);
      integers.push_back(static_cast<double>(k == 1 ? -x : x));
    }
    for (double& x : integers) x /= static_cast<double>(divisor);
    const double factor = std::ldexp(0.5 + random.uniform(i), static_cast<int>(i % 100) - 50);
    for (const double x : integers) numbers.push_back(x * factor);
    std::vector<double> found(3);
    ASSERT_TRUE(write_integer_ratios(numbers, integer_ratios<double>(), found)) << i;
    ASSERT_EQ(found, integers) << i;
  }
}

TEST(IntegerRatios, AreNotFoundInOtherNumbers) {
  const CounterRandom random(12, 1);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    std::vector<double> numbers, found(3);
    for (std::uint64_t k = 0; k < 3; ++k) numbers.push_back(random.uniform(3 * i + k));
    EXPECT_FALSE(write_integer_ratios(numbers, integer_ratios<double>(), found)) << i;
  }
}

}  // namespace
}  // namespace warpgraph
