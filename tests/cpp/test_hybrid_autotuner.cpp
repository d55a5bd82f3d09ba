#include "algorithms/mst/hybrid/hybrid_autotuner.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace warpgraph::mst {
namespace {

/// A processor that takes `overhead` seconds, plus `seconds` for all of the work.
struct Processor {
  double seconds;
  double overhead = 0;
  [[nodiscard]] double time(double work) const { return overhead + work * seconds; }
};

double share_after(int rounds, ShareTuner tuner, const Processor& host, const Processor& device) {
  for (int i = 0; i < rounds; ++i) {
    const double share = tuner.share();
    tuner.update(share, host.time(share), device.time(1 - share));
  }
  return tuner.share();
}

TEST(ShareTuner, BeginsWithAFifth) { EXPECT_DOUBLE_EQ(ShareTuner().share(), 0.2); }

TEST(ShareTuner, FindsTheShareThatTakesBothEquallyLong) {
  for (const double host : {1.0, 3.0, 9.0, 50.0}) {
    const double share = share_after(3, ShareTuner(), {host}, {1});
    EXPECT_NEAR(share, 1 / (1 + host), 1e-12) << host;
  }
}

TEST(ShareTuner, FindsItWithAnOverhead) {
  const Processor host{8, 0.1};
  const Processor device{1, 0.01};
  const double share = share_after(30, ShareTuner(), host, device);
  EXPECT_NEAR(host.time(share), device.time(1 - share), 1e-6);
}

TEST(ShareTuner, FollowsSpeedsThatChange) {
  ShareTuner tuner(share_after(5, ShareTuner(), {20}, {1}));
  EXPECT_NEAR(share_after(5, tuner, {1}, {1}), 0.5, 1e-12);
}

TEST(ShareTuner, StaysWithinItsBounds) {
  const double host_is_slow = share_after(40, ShareTuner(), {1e9, 1e9}, {1});
  EXPECT_EQ(host_is_slow, ShareTuner::min_share);
  const double device_is_slow = share_after(40, ShareTuner(), {1}, {1e9, 1e9});
  EXPECT_EQ(device_is_slow, ShareTuner::max_share);
  // The share changes again when the slow processor becomes faster.
  EXPECT_NEAR(share_after(8, ShareTuner(host_is_slow), {1}, {1}), 0.5, 1e-12);
  EXPECT_NEAR(share_after(8, ShareTuner(device_is_slow), {1}, {1}), 0.5, 1e-12);
}

TEST(ShareTuner, ADisturbedRoundMovesItByAStep) {
  ShareTuner tuner(0.5);
  tuner.update(0.5, 1e6, 1e-6);
  EXPECT_NEAR(tuner.share(), 1 / (1 + ShareTuner::max_step), 1e-12);
}

TEST(ShareTuner, IgnoresRoundsWithoutATime) {
  ShareTuner tuner(0.25);
  tuner.update(0, 0, 1);
  tuner.update(0.5, 0, 1);
  tuner.update(0.5, 1, 0);
  tuner.update(1, 1, 1);
  tuner.update(0.5, std::nan(""), 1);
  EXPECT_EQ(tuner.share(), 0.25);
}

/// Solves a graph with three rounds `n_solves` times. Returns the number of rounds of the last
/// solve in which threads took part.
std::size_t helped_after(int n_solves, HybridAutotuner& autotuner, const double (&together)[3],
                         const double (&alone)[3]) {
  std::size_t helped = 0;
  for (int i = 0; i < n_solves; ++i) {
    helped = std::min<std::size_t>(autotuner.rounds_with_host(), 3);
    for (std::size_t round = 0; round < 3; ++round) {
      const bool helps = round < helped;
      autotuner.record(round, helps, helps ? together[round] : alone[round]);
    }
    autotuner.end_solve();
  }
  return helped;
}

TEST(HybridAutotuner, TriesBothAndKeepsTheFaster) {
  HybridAutotuner never(0.2);
  EXPECT_EQ(helped_after(1, never, {3, 2, 1}, {2, 1.5, 0.5}), 3u);
  EXPECT_EQ(helped_after(HybridAutotuner::solves_with_host, never, {3, 2, 1}, {2, 1.5, 0.5}), 0u);
  HybridAutotuner hardly(0.2);
  EXPECT_EQ(helped_after(9, hardly, {1.99, 2, 1}, {2, 1.5, 0.5}), 0u)
      << "a gain below the threshold";
  EXPECT_EQ(helped_after(9, never, {3, 2, 1}, {2, 1.5, 0.5}), 0u);
  HybridAutotuner at_first(0.2);
  EXPECT_EQ(helped_after(9, at_first, {3, 2, 1}, {4, 1.5, 0.5}), 1u);
  HybridAutotuner always(0.2);
  EXPECT_EQ(helped_after(9, always, {3, 2, 1}, {4, 1.5, 2}), 3u)
      << "the last round gains more than the second loses";
}

TEST(HybridAutotuner, WholeSolvesDecide) {
  HybridAutotuner autotuner(0.2);
  // The threads' first solves were faster than usual, and the device's were slower.
  helped_after(HybridAutotuner::solves_with_host, autotuner, {1, 1, 1}, {2, 2, 2});
  helped_after(HybridAutotuner::solves_device_alone, autotuner, {1, 1, 1}, {2, 2, 2});
  EXPECT_EQ(helped_after(1, autotuner, {5, 5, 5}, {2, 2, 2}), 3u) << "by rounds help pays";
  EXPECT_EQ(helped_after(1, autotuner, {5, 5, 5}, {2, 2, 2}), 0u) << "by solves it does not";
  EXPECT_EQ(helped_after(9, autotuner, {1, 1, 1}, {2, 2, 2}), 0u);
}

TEST(HybridAutotuner, TriesAgainAfterSomeTime) {
  HybridAutotuner autotuner(0.2);
  helped_after(HybridAutotuner::solves_between_trials, autotuner, {3, 2, 1}, {2, 1, 0.5});
  EXPECT_EQ(helped_after(1, autotuner, {1, 1, 0.1}, {2, 1, 0.5}), 3u);
  EXPECT_EQ(helped_after(20, autotuner, {1, 0.5, 0.1}, {2, 1, 0.5}), 3u);
}

TEST(HybridAutotuner, BeginsARoundWithTheShareOfTheOneBefore) {
  HybridAutotuner autotuner(0.5);
  EXPECT_DOUBLE_EQ(autotuner.share_tuner(0).share(), 0.5);
  autotuner.share_tuner(0).update(0.5, 3, 1);
  EXPECT_DOUBLE_EQ(autotuner.share_tuner(2).share(), 0.25);
  autotuner.share_tuner(2).update(0.25, 1, 1);
  EXPECT_DOUBLE_EQ(autotuner.share_tuner(1).share(), 0.25);
}

}  // namespace
}  // namespace warpgraph::mst
