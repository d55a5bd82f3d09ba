// What solves of one graph teach about its rounds: how to divide them, and in how many of them CPU
// threads help a device. Private to this folder.
//
// Threads have to be brought up to date before each round, so once they leave one out they are out
// of the later ones, too; those are shorter and less worth the trouble. Whether a round is faster
// with them cannot be told from its own times, since helping slows the device down a little. So
// after some solves with them in all rounds some are done without, and then the sum says how many
// rounds are best. The least of several times of a round flatters, though: whether help pays at all
// is decided by whole solves.
#pragma once

#include "algorithms/mst/hybrid/share.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace warpgraph::mst {

class Experience {
 public:
  static constexpr std::size_t all_rounds = std::numeric_limits<std::size_t>::max();
  /// A share is found in so many rounds, be they of one solve or of several.
  static constexpr int solves_with_host = 3;
  static constexpr int solves_alone = 2;
  /// Times differ by some percent from solve to solve: help that saves no more is none.
  static constexpr double least_gain = 0.05;
  /// After so many solves the others are tried again: a machine may have had other work.
  static constexpr int solves_between_trials = 64;

  explicit Experience(double first_share) : first_share_(first_share) {}

  /// In how many rounds, from the first on, threads should help in the next solve.
  [[nodiscard]] std::size_t rounds_with_host() const noexcept {
    const int solve = n_solves_ % solves_between_trials;
    if (solve < solves_with_host) return all_rounds;
    return solve < solves_with_host + solves_alone ? 0 : best_rounds_with_host();
  }

  /// How to divide a round; before its first time as the round before it.
  [[nodiscard]] ShareController& share(std::size_t round) { return at(round).share; }

  void record(std::size_t round, bool with_host, double seconds) {
    Times& known = at(round).times;
    keep_least(with_host ? known.together : known.alone, seconds);
    solve_ += seconds;
  }
  void end_solve() noexcept {
    const std::size_t helped = rounds_with_host();
    if (helped == 0) keep_least(solves_.alone, solve_);
    if (helped != 0 && helped != all_rounds) keep_least(solves_.together, solve_);
    solve_ = 0;
    if (++n_solves_ % solves_between_trials != 0) return;
    solves_ = Times{};
    for (Round& round : rounds_) round.times = Times{};
  }

 private:
  struct Times {  // least seconds; 0: never measured
    double together = 0;
    double alone = 0;
  };
  struct Round {
    ShareController share;
    Times times;
  };

  static void keep_least(double& known, double seconds) noexcept {
    known = known == 0 ? seconds : std::min(known, seconds);
  }

  Round& at(std::size_t round) {
    while (rounds_.size() <= round) {
      const bool is_first = rounds_.empty();
      rounds_.push_back({is_first ? ShareController(first_share_) : rounds_.back().share, Times{}});
    }
    return rounds_[round];
  }

  [[nodiscard]] std::size_t best_rounds_with_host() const noexcept {
    if (solves_.together > (1 - least_gain) * solves_.alone) return 0;
    double least = 0;  // relative to none
    double sum = 0;
    std::size_t best = 0;
    for (std::size_t i = 0; i < rounds_.size(); ++i) {
      sum += rounds_[i].times.together - (1 - least_gain) * rounds_[i].times.alone;
      if (sum >= least) continue;
      least = sum;
      best = i + 1;
    }
    return best;
  }

  double first_share_;
  int n_solves_ = 0;
  double solve_ = 0;  // seconds of the solve under way
  Times solves_;      // of whole solves; together: in as many rounds as seemed best
  std::vector<Round> rounds_;
};

}  // namespace warpgraph::mst
