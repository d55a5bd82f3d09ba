#include "algorithms/predicate_filter/predicate_filter.hpp"
#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "core/processor/filter_values.hpp"
#include "support.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

namespace warpgraph {
namespace {

template <class T>
std::vector<T> values_of(std::size_t n, std::uint64_t seed) {
  const CounterRandom random(seed, 0);
  std::vector<T> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<T>(random.below(i, 100)));
  return values;
}

using Devices = std::vector<Device>;

class FilterOn : public testing::TestWithParam<Devices> {
 protected:
  void SetUp() override {
    const bool needs_cuda = GetParam().back().is_cuda();
    if (needs_cuda && cuda_device_count() == 0) GTEST_SKIP() << cuda_unavailable_reason();
  }
};

const Device cpu;
const Device gpu{Device::Kind::cuda, 0};
INSTANTIATE_TEST_SUITE_P(Endpoints, FilterOn,
                         testing::Values(Devices(1), Devices(2), Devices(3), Devices(5), Devices(8),
                                         Devices{gpu}, Devices(3, gpu), Devices{cpu, cpu, gpu}));

template <class T>
void check(const Devices& devices) {
  for (const std::size_t n : {0, 1, 1000, 50'000, 200'000}) {
    const std::vector<T> values = values_of<T>(n, n);
    for (const Interval<T> interval :
         {Interval<T>{10, 30}, Interval<T>{0, 100}, Interval<T>{5, 4}, Interval<T>{99, 99}}) {
      const auto found = predicate_filter<T>({values}, interval, {devices});
      EXPECT_EQ(found, predicate_filter_reference<T>(values, interval));
    }
  }
}

TEST_P(FilterOn, EqualsTheReference) {
  check<double>(GetParam());
  check<std::int8_t>(GetParam());
  check<std::uint16_t>(GetParam());
}

TEST(PredicateFilter, DropsNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> values{1, nan, -inf, inf, 3};
  const HostVector<float> all{1, -inf, inf, 3};
  EXPECT_EQ((predicate_filter<float>({values}, {-inf, inf}, {Devices(2)})), all);
  EXPECT_EQ((predicate_filter_reference<float>(values, {-inf, inf})), all);
}

template <class T>
void check_vectors(FilterVectors vectors) {
  constexpr T untouched = 101;
  const std::vector<T> values = values_of<T>(300, 7);
  for (std::size_t n = 0; n <= 150; ++n) {
    const std::span<const T> some(values.data() + n, n);  // of every alignment
    for (const Interval<T> interval :
         {Interval<T>{10, 60}, Interval<T>{0, 99}, Interval<T>{5, 4}}) {
      std::vector<T> passed(n + 70, untouched);
      const std::size_t n_passed = filter_values(some, interval, passed.data(), vectors);
      const HostVector<T> expected = predicate_filter_reference(some, interval);
      EXPECT_EQ(HostVector<T>(passed.begin(), passed.begin() + static_cast<long>(n_passed)),
                expected);
      EXPECT_EQ(std::count(passed.begin() + static_cast<long>(n), passed.end(), untouched), 70);
    }
  }
}

TEST(PredicateFilter, IsTheSameWithAllVectors) {
  for (const auto vectors : {FilterVectors::none, FilterVectors::avx2, FilterVectors::avx512}) {
    if (vectors > widest_filter_vectors()) continue;
#define CHECK(T) check_vectors<T>(vectors);
    WARPGRAPH_FOR_EACH_FILTERED(CHECK)
#undef CHECK
  }
}

template <class T>
void check_within() {
  constexpr T untouched = 101;
  const std::vector<T> values = values_of<T>(5000, 8);
  const Interval<T> interval{10, 60};
  for (std::size_t n = 0; n <= 70; ++n) {
    const std::span<const T> some(values.data() + n, values.size() - 2 * n);
    const HostVector<T> expected = predicate_filter_reference(some, interval);
    for (const std::size_t room : {std::size_t{0}, std::size_t{1}, expected.size() / 2,
                                   expected.size(), expected.size() + 100}) {
      std::vector<T> memory(expected.size() + 200, untouched);
      EXPECT_EQ(filter_values_within(some, interval, std::span<T>(memory.data(), room)),
                expected.size());
      const auto written = static_cast<long>(std::min(room, expected.size()));
      EXPECT_TRUE(std::equal(memory.begin(), memory.begin() + written, expected.begin()));
      EXPECT_EQ(std::count(memory.begin() + written, memory.end(), untouched),
                memory.end() - memory.begin() - written);
    }
  }
}

TEST(PredicateFilter, WritesWithinGivenMemoryOnly) {
#define CHECK(T) check_within<T>();
  WARPGRAPH_FOR_EACH_FILTERED(CHECK)
#undef CHECK
}

TEST_P(FilterOn, WritesToGivenMemoryAndNotBeyondTheResult) {
  const std::vector<double> values = values_of<double>(300'000, 2);
  const HostVector<double> expected = predicate_filter_reference<double>(values, {10, 70});
  std::vector<double> out(values.size(), -1);
  const FilterOptions options{GetParam()};
  EXPECT_EQ(predicate_filter_into<double>({values}, {10, 70}, out, options), expected.size());
  const auto end = out.begin() + static_cast<long>(expected.size());
  EXPECT_TRUE(std::equal(out.begin(), end, expected.begin()));
  EXPECT_EQ(std::count(end, out.end(), -1), out.end() - end);
  const std::span<double> small(out.data(), expected.size() - 1);
  EXPECT_THROW(predicate_filter_into<double>({values}, {10, 70}, small, options),
               std::invalid_argument);
}

TEST(PredicateFilter, WritesResultsLargerThanCaches) {
  std::vector<std::int64_t> values((std::size_t{65} << 20) / sizeof(std::int64_t));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::int64_t>(i * 7919 % 100'003);
  }
  const Interval<std::int64_t> interval{10, 70'000};
  const auto expected = predicate_filter_reference<std::int64_t>(values, interval);
  EXPECT_TRUE(predicate_filter<std::int64_t>({values}, interval, {Devices(3)}) == expected);
  std::vector<std::int64_t> out(values.size(), -1);
  EXPECT_EQ(predicate_filter_into<std::int64_t>({values}, interval, out, {Devices(3)}),
            expected.size());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin()));
  EXPECT_EQ(std::count(out.begin(), out.end(), -1),
            static_cast<long>(out.size() - expected.size()));
}

TEST_P(FilterOn, KeepsToItsLimit) {
  const std::vector<double> values = values_of<double>(300'000, 2);
  const FilterOptions too_little{GetParam(), MemoryBudget(Device{}, 1000)};
  EXPECT_THROW((predicate_filter<double>({values}, {10, 70}, too_little)), OutOfMemory);
  const FilterOptions enough{GetParam(), MemoryBudget(Device{}, std::size_t{1} << 28)};
  EXPECT_EQ((predicate_filter<double>({values}, {10, 70}, enough)),
            (predicate_filter_reference<double>(values, {10, 70})));
}

struct Interrupted {};

class Interrupting final : public CallHooks {
 public:
  void poll() override { throw Interrupted{}; }
  void progress(std::int64_t, std::int64_t) override {}
};

TEST_P(FilterOn, CanBeInterrupted) {
  const std::vector<double> values = values_of<double>(2'000'000, 1);
  {
    Interrupting hooks;
    const ScopedHooks installed(hooks);
    EXPECT_THROW((predicate_filter<double>({values}, {1, 2}, {GetParam()})), Interrupted);
  }
  EXPECT_EQ((predicate_filter<double>({values}, {1, 2}, {GetParam()})),
            (predicate_filter_reference<double>(values, {1, 2})));
}

}  // namespace
}  // namespace warpgraph
