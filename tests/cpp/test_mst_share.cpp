#include "algorithms/mst/share.hpp"

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

}  // namespace
}  // namespace warpgraph::mst
