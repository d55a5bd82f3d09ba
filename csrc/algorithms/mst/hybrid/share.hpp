// Which part of a round's work the host takes, and the device the rest: so much that both end at
// the same time. How fast they are is not known beforehand and changes from round to round, so each
// round is measured and sets the share of the next. Private to this folder.
#pragma once

#include <algorithm>

namespace warpgraph::mst {

class ShareController {
 public:
  /// Where a fifth is the host's, neither side of an ordinary machine waits for long.
  static constexpr double initial = 0.2;
  /// A side that has nothing to do is not measured and would never get work again. So much costs
  /// the slower side about as much time as it takes to begin a round.
  static constexpr double least = 1.0 / 1024;
  static constexpr double most = 1 - least;
  /// One round that was disturbed must not give either side all the work.
  static constexpr double largest_step = 8;

  ShareController() = default;
  explicit ShareController(double share) : share_(std::clamp(share, least, most)) {}

  [[nodiscard]] double share() const noexcept { return share_; }

  /// What a round took that gave the host `host_work` of the work and the device the rest: seconds
  /// until each was done, what copying took included. Times that are not positive say nothing.
  void learn(double host_work, double host_seconds, double device_seconds) noexcept {
    const double device_work = 1 - host_work;
    if (!(host_seconds > 0) || !(device_seconds > 0) || !(host_work > 0) || !(device_work > 0)) {
      return;
    }
    // Odds, unlike shares, may be multiplied. They stay as they are if both took equally long.
    const double wanted = (host_work / host_seconds) / (device_work / device_seconds);
    const double odds = share_ / (1 - share_);
    const double next = std::clamp(wanted, odds / largest_step, odds * largest_step);
    share_ = std::clamp(next / (1 + next), least, most);
  }

 private:
  double share_ = initial;
};

}  // namespace warpgraph::mst
