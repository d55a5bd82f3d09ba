#include "algorithms/mst/hybrid/share_tuner.hpp"

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

TEST(ShareTuner, BeginsWithAHalf) { EXPECT_DOUBLE_EQ(ShareTuner().share(), 0.5); }

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

}  // namespace
}  // namespace warpgraph::mst
