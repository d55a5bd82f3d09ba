// The fraction of a round's work that the host takes, such that host and device finish at the same
// time. Their speeds are unknown beforehand and change from round to round, so the times of a round
// set its share in the next solve. Private to this folder.
#pragma once

#include <algorithm>

namespace warpgraph::mst {

class ShareTuner {
 public:
  /// The share of the first round; both sides read the rows that they share from host memory.
  static constexpr double initial_share = 0.5;
  /// The least share of either side: one without work is not measured and would never get work
  /// again. This share costs the slower side about as much time as starting a round.
  static constexpr double min_share = 1.0 / 1024;
  static constexpr double max_share = 1 - min_share;
  /// The largest factor by which a round changes the share: a single disturbed one must not give
  /// either side all the work.
  static constexpr double max_step = 8;

  ShareTuner() = default;
  explicit ShareTuner(double share) : share_(std::clamp(share, min_share, max_share)) {}

  [[nodiscard]] double share() const noexcept { return share_; }

  /// Updates the share after a round in which the host did `host_work` of the work and the device
  /// the rest. The seconds include copies. Times that are not positive are ignored.
  void update(double host_work, double host_seconds, double device_seconds) noexcept {
    const double device_work = 1 - host_work;
    if (!(host_seconds > 0) || !(device_seconds > 0) || !(host_work > 0) || !(device_work > 0)) {
      return;
    }
    // Odds, unlike shares, may be multiplied. They stay unchanged if both took equally long.
    const double wanted = (host_work / host_seconds) / (device_work / device_seconds);
    const double odds = share_ / (1 - share_);
    const double next = std::clamp(wanted, odds / max_step, odds * max_step);
    share_ = std::clamp(next / (1 + next), min_share, max_share);
  }

 private:
  double share_ = initial_share;
};

}  // namespace warpgraph::mst
