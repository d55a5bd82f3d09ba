// Tunes the rounds of one graph from the times of earlier solves: how to split the work of a round,
// and in how many rounds CPU threads help a device. Private to this folder.
//
// Before each round the threads must apply the renumbering of trees, so once they skip a round they
// skip all later ones, too; those are shorter and gain less. Whether a round is faster with the
// threads cannot be decided from its own time alone, since helping slows the device down a little.
// So after some solves with help in all rounds some run without, and the sum of the differences
// yields the best number of rounds. The minimum over several times of a round is biased downwards,
// though: whether help pays at all is decided by times of whole solves.
#pragma once

#include "algorithms/mst/hybrid/share_tuner.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace warpgraph::mst {

class HybridAutotuner {
 public:
  static constexpr std::size_t all_rounds = std::numeric_limits<std::size_t>::max();
  /// A share converges in about this number of rounds, of one solve or of several.
  static constexpr int solves_with_host = 3;
  static constexpr int solves_device_alone = 2;
  /// Times vary by some percent from solve to solve: a smaller gain does not count.
  static constexpr double min_gain = 0.05;
  /// After this number of solves the trials are repeated: the load of the machine may have changed.
  static constexpr int solves_between_trials = 64;

  explicit HybridAutotuner(double first_share) : first_share_(first_share) {}

  /// The number of rounds, from the first on, in which threads should help in the next solve.
  [[nodiscard]] std::size_t rounds_with_host() const noexcept {
    const int solve = n_solves_ % solves_between_trials;
    if (solve < solves_with_host) return all_rounds;
    return solve < solves_with_host + solves_device_alone ? 0 : best_rounds_with_host();
  }

  /// The tuner of a round; it starts as a copy of that of the round before.
  [[nodiscard]] ShareTuner& share_tuner(std::size_t round) { return at(round).tuner; }

  void record(std::size_t round, bool with_host, double seconds) {
    Times& known = at(round).times;
    keep_minimum(with_host ? known.with_host : known.device_alone, seconds);
    solve_seconds_ += seconds;
  }
  void end_solve() noexcept {
    const std::size_t helped = rounds_with_host();
    if (helped == 0) keep_minimum(solve_times_.device_alone, solve_seconds_);
    if (helped != 0 && helped != all_rounds) keep_minimum(solve_times_.with_host, solve_seconds_);
    solve_seconds_ = 0;
    if (++n_solves_ % solves_between_trials != 0) return;
    solve_times_ = Times{};
    for (Round& round : rounds_) round.times = Times{};
  }

 private:
  struct Times {  // minimum in seconds; 0: not measured
    double with_host = 0;
    double device_alone = 0;
  };
  struct Round {
    ShareTuner tuner;
    Times times;
  };

  static void keep_minimum(double& known, double seconds) noexcept {
    known = known == 0 ? seconds : std::min(known, seconds);
  }

  Round& at(std::size_t round) {
    while (rounds_.size() <= round) {
      const bool is_first = rounds_.empty();
      rounds_.push_back({is_first ? ShareTuner(first_share_) : rounds_.back().tuner, Times{}});
    }
    return rounds_[round];
  }

  [[nodiscard]] std::size_t best_rounds_with_host() const noexcept {
    if (solve_times_.with_host > (1 - min_gain) * solve_times_.device_alone) return 0;
    double minimum = 0;  // relative to no help
    double sum = 0;
    std::size_t best = 0;
    for (std::size_t i = 0; i < rounds_.size(); ++i) {
      sum += rounds_[i].times.with_host - (1 - min_gain) * rounds_[i].times.device_alone;
      if (sum >= minimum) continue;
      minimum = sum;
      best = i + 1;
    }
    return best;
  }

  double first_share_;
  int n_solves_ = 0;
  double solve_seconds_ = 0;  // seconds of the current solve
  Times solve_times_;  // of whole solves; with_host: in the number of rounds that seemed best
  std::vector<Round> rounds_;
};

}  // namespace warpgraph::mst
