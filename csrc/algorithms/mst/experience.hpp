// What solves of one graph teach about its rounds: how to divide them, and in how many of them CPU
// threads help a device. Private to this folder.
//
// Threads have to be brought up to date before each round, so once they leave one out they are out
// of the later ones, too; those are shorter and less worth the trouble. Whether a round is faster
// with them cannot be told from its own times, since helping slows the device down a little. So
// after some solves with them in all rounds some are done without, and then the sum decides.
#pragma once

#include "algorithms/mst/share.hpp"

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
    double& known = with_host ? at(round).together : at(round).alone;
    known = known == 0 ? seconds : std::min(known, seconds);
  }
  void end_solve() noexcept {
    if (++n_solves_ % solves_between_trials != 0) return;
    for (Round& round : rounds_) round.together = round.alone = 0;
  }

 private:
  struct Round {
    ShareController share;
    double together;  // least seconds; 0: never measured
    double alone;
  };

  Round& at(std::size_t round) {
    while (rounds_.size() <= round) {
      const bool is_first = rounds_.empty();
      rounds_.push_back({is_first ? ShareController(first_share_) : rounds_.back().share, 0, 0});
    }
    return rounds_[round];
  }

  [[nodiscard]] std::size_t best_rounds_with_host() const noexcept {
    double least = 0;  // relative to none
    double sum = 0;
    std::size_t best = 0;
    for (std::size_t i = 0; i < rounds_.size(); ++i) {
      sum += rounds_[i].together - (1 - least_gain) * rounds_[i].alone;
      if (sum >= least) continue;
      least = sum;
      best = i + 1;
    }
    return best;
  }

  double first_share_;
  int n_solves_ = 0;
  std::vector<Round> rounds_;
};

}  // namespace warpgraph::mst
