#include "algorithms/mst/hybrid/experience.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace warpgraph::mst {
namespace {

/// A side takes this many seconds for all of the work, and so many more to begin.
struct Side {
  double seconds;
  double to_begin = 0;
  [[nodiscard]] double time(double work) const { return to_begin + work * seconds; }
};

double share_after(int rounds, ShareController controller, const Side& host, const Side& device) {
  for (int i = 0; i < rounds; ++i) {
    const double share = controller.share();
    controller.learn(share, host.time(share), device.time(1 - share));
  }
  return controller.share();
}

TEST(ShareController, BeginsWithAFifth) { EXPECT_DOUBLE_EQ(ShareController().share(), 0.2); }

TEST(ShareController, FindsTheShareThatTakesBothEquallyLong) {
  for (const double host : {1.0, 3.0, 9.0, 50.0}) {
    const double share = share_after(3, ShareController(), {host}, {1});
    EXPECT_NEAR(share, 1 / (1 + host), 1e-12) << host;
  }
}

TEST(ShareController, FindsItWhereASideTakesTimeToBegin) {
  const Side host{8, 0.1};
  const Side device{1, 0.01};
  const double share = share_after(30, ShareController(), host, device);
  EXPECT_NEAR(host.time(share), device.time(1 - share), 1e-6);
}

TEST(ShareController, FollowsSpeedsThatChange) {
  ShareController controller(share_after(5, ShareController(), {20}, {1}));
  EXPECT_NEAR(share_after(5, controller, {1}, {1}), 0.5, 1e-12);
}

TEST(ShareController, StarvesNobody) {
  const double host_is_hopeless = share_after(40, ShareController(), {1e9, 1e9}, {1});
  EXPECT_EQ(host_is_hopeless, ShareController::least);
  const double device_is_hopeless = share_after(40, ShareController(), {1}, {1e9, 1e9});
  EXPECT_EQ(device_is_hopeless, ShareController::most);
  // And whoever recovers gets work again.
  EXPECT_NEAR(share_after(8, ShareController(host_is_hopeless), {1}, {1}), 0.5, 1e-12);
  EXPECT_NEAR(share_after(8, ShareController(device_is_hopeless), {1}, {1}), 0.5, 1e-12);
}

TEST(ShareController, ADisturbedRoundMovesItByAStep) {
  ShareController controller(0.5);
  controller.learn(0.5, 1e6, 1e-6);
  EXPECT_NEAR(controller.share(), 1 / (1 + ShareController::largest_step), 1e-12);
}

TEST(ShareController, LearnsNothingFromNothing) {
  ShareController controller(0.25);
  controller.learn(0, 0, 1);
  controller.learn(0.5, 0, 1);
  controller.learn(0.5, 1, 0);
  controller.learn(1, 1, 1);
  controller.learn(0.5, std::nan(""), 1);
  EXPECT_EQ(controller.share(), 0.25);
}

/// Solves a graph of three rounds so many times; returns in how many rounds of the last one threads
/// helped.
std::size_t helped_after(int n_solves, Experience& experience, const double (&together)[3],
                         const double (&alone)[3]) {
  std::size_t helped = 0;
  for (int i = 0; i < n_solves; ++i) {
    helped = std::min<std::size_t>(experience.rounds_with_host(), 3);
    for (std::size_t round = 0; round < 3; ++round) {
      const bool helps = round < helped;
      experience.record(round, helps, helps ? together[round] : alone[round]);
    }
    experience.end_solve();
  }
  return helped;
}

TEST(Experience, TriesBothAndKeepsWhatIsFaster) {
  Experience never(0.2);
  EXPECT_EQ(helped_after(1, never, {3, 2, 1}, {2, 1.5, 0.5}), 3u);
  EXPECT_EQ(helped_after(Experience::solves_with_host, never, {3, 2, 1}, {2, 1.5, 0.5}), 0u);
  Experience hardly(0.2);
  EXPECT_EQ(helped_after(9, hardly, {1.99, 2, 1}, {2, 1.5, 0.5}), 0u) << "too little to tell";
  EXPECT_EQ(helped_after(9, never, {3, 2, 1}, {2, 1.5, 0.5}), 0u);
  Experience at_first(0.2);
  EXPECT_EQ(helped_after(9, at_first, {3, 2, 1}, {4, 1.5, 0.5}), 1u);
  Experience always(0.2);
  EXPECT_EQ(helped_after(9, always, {3, 2, 1}, {4, 1.5, 2}), 3u) << "the last round pays for all";
}

TEST(Experience, WholeSolvesDecide) {
  Experience experience(0.2);
  // The threads' first solves were lucky, and the device's were not.
  helped_after(Experience::solves_with_host, experience, {1, 1, 1}, {2, 2, 2});
  helped_after(Experience::solves_alone, experience, {1, 1, 1}, {2, 2, 2});
  EXPECT_EQ(helped_after(1, experience, {5, 5, 5}, {2, 2, 2}), 3u) << "by rounds help pays";
  EXPECT_EQ(helped_after(1, experience, {5, 5, 5}, {2, 2, 2}), 0u) << "by solves it does not";
  EXPECT_EQ(helped_after(9, experience, {1, 1, 1}, {2, 2, 2}), 0u);
}

TEST(Experience, TriesAgainAfterSomeTime) {
  Experience experience(0.2);
  helped_after(Experience::solves_between_trials, experience, {3, 2, 1}, {2, 1, 0.5});
  EXPECT_EQ(helped_after(1, experience, {1, 1, 0.1}, {2, 1, 0.5}), 3u);
  EXPECT_EQ(helped_after(20, experience, {1, 0.5, 0.1}, {2, 1, 0.5}), 3u);
}

TEST(Experience, BeginsARoundAsTheOneBefore) {
  Experience experience(0.5);
  EXPECT_DOUBLE_EQ(experience.share(0).share(), 0.5);
  experience.share(0).learn(0.5, 3, 1);
  EXPECT_DOUBLE_EQ(experience.share(2).share(), 0.25);
  experience.share(2).learn(0.25, 1, 1);
  EXPECT_DOUBLE_EQ(experience.share(1).share(), 0.25);
}

}  // namespace
}  // namespace warpgraph::mst
