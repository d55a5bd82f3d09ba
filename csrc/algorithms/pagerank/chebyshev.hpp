// Chebyshev acceleration of the power iteration [1], for graphs whose arcs are stored both ways
// with the same weight. The matrix of a sweep then has real eigenvalues in -alpha .. alpha: among
// vertices with weights it is similar to a symmetric matrix, and dangling vertices receive nothing
// but mass. With a bound b <= alpha on their magnitudes, iterates
//
//   x'' = x + omega (F(x') - x),   omega_1 = 1, omega_2 = 1 / (1 - b^2 / 2),
//                                  omega_(k+1) = 1 / (1 - b^2 omega_k / 4)
//
// of the sweep F converge with the rate b / (1 + sqrt(1 - b^2)) a sweep instead of b: for b = 0.85
// that is 0.557, and 24 sweeps do what 60 did on a road network. They need no more memory, since
// x'' takes the place of x, and read one number more per vertex.
//
// The rate of the first sweeps, which are those of the power iteration, gives the first bound: on
// many graphs they converge faster than alpha. If sweeps then converge more slowly than the bound
// promises, alpha takes its place. This is the adaptive procedure of [1] with a last resort: if the
// change grows beyond the first one, or if it has not fallen enough after sweeps that promise a
// 2^-60th of it, the rest are sweeps of the power iteration, each of which reduces it.
//
// Only operations that IEEE 754 rounds correctly: hosts and devices take the same decisions.
//
// [1] Hageman, Young: Applied iterative methods. Academic Press 1981, chapters 4 and 5.
#pragma once

#include "core/types.hpp"

#include <cmath>

namespace warpgraph::pagerank {

class Chebyshev {
 public:
  Chebyshev() = default;  // trivial: blocks of threads keep one in shared memory
  Chebyshev(double alpha, bool is_symmetric)
      : alpha_(alpha),
        bound_(0),
        omega_(1),
        rate_(0),
        rate_power_(1),
        first_change_(0),
        last_change_(0),
        last_ratio_(0),
        sweeps_(0),
        phase_(is_symmetric ? Phase::measuring : Phase::power_iteration) {}

  /// Returns omega for the next sweep; 1 makes it a sweep of the power iteration.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE double omega() const { return omega_; }

  /// Goes on after a sweep, given the sum of |F(x') - x'|.
  WARPGRAPH_HOST_DEVICE void advance(double change) {
    switch (phase_) {
      case Phase::power_iteration:
        return;
      case Phase::measuring:
        measure(change);
        return;
      case Phase::restarting:
        restart(change);
        return;
      case Phase::accelerating:
        check(change);
    }
  }

 private:
  enum class Phase { power_iteration, measuring, restarting, accelerating };

  /// Sweeps that measure the rate: on roads and grids the ratio of successive changes grows until
  /// then. From a start far from the result, the ratio falls for longer on graphs that spread the
  /// start evenly: as long as it is less than `falling` times the ratio before.
  static constexpr int sweeps_to_measure = 4;
  static constexpr int max_sweeps_to_measure = 8;
  static constexpr double falling = 0.9;
  /// The factor by which the bound exceeds the ratio of the first sweeps, which is below the
  /// largest eigenvalue. A bound that is too low costs more sweeps than one that is as much too
  /// high.
  static constexpr double safety = 1.2;
  /// The promised reduction below which acceleration ends: weights or degrees are then so different
  /// that a small error in the norm in which Chebyshev polynomials are bounded is large in sum, or
  /// rounding is all that changes.
  static constexpr double least_rate_power = 0x1p-60;
  /// Sweeps with a bound that show whether it is too low.
  static constexpr int sweeps_to_check = 4;

  WARPGRAPH_HOST_DEVICE void measure(double change) {
    const double ratio = change / last_change_;  // not a number after a change of 0
    const bool falls = ratio < falling * last_ratio_;
    last_change_ = change;
    last_ratio_ = ratio;
    if (++sweeps_ < sweeps_to_measure || !(ratio > 0)) return;
    if (falls && sweeps_ < max_sweeps_to_measure) return;
    bound_ = safety * ratio < alpha_ ? safety * ratio : alpha_;
    begin(change);
  }

  /// Begins with a new bound. The last sweep was one of the power iteration: the first with this
  /// bound.
  WARPGRAPH_HOST_DEVICE void begin(double change) {
    phase_ = Phase::accelerating;
    first_change_ = change;
    sweeps_ = 0;
    rate_ = bound_ / (1 + std::sqrt(1 - bound_ * bound_));
    rate_power_ = 1;
    omega_ = 1 / (1 - bound_ * bound_ / 2);
  }

  /// Begins again with a new bound, unless the change is larger than the first one with the bound
  /// before: the power iteration then continues.
  WARPGRAPH_HOST_DEVICE void restart(double change) {
    if (change > first_change_) {
      phase_ = Phase::power_iteration;
    } else {
      begin(change);
    }
  }

  WARPGRAPH_HOST_DEVICE void check(double change) {
    rate_power_ *= rate_;
    ++sweeps_;
    // Chebyshev polynomials promise the first change times this.
    const double reduction = 2 * rate_power_ / (1 + rate_power_ * rate_power_);
    // A reduction by less than this, the promised one to the power of 3/4, is too slow.
    const double slow = std::sqrt(reduction) * std::sqrt(std::sqrt(reduction));
    if (change > first_change_ || rate_power_ < least_rate_power) {
      phase_ = Phase::power_iteration;
      omega_ = 1;
    } else if (bound_ < alpha_ && sweeps_ >= sweeps_to_check && change > slow * first_change_) {
      phase_ = Phase::restarting;
      bound_ = alpha_;
      omega_ = 1;
    } else {
      omega_ = 1 / (1 - bound_ * bound_ * omega_ / 4);
    }
  }

  double alpha_;
  double bound_;
  double omega_;
  double rate_;
  double rate_power_;  // rate_ to the power of sweeps_
  double first_change_;
  double last_change_;
  double last_ratio_;
  int sweeps_;  // in this phase
  Phase phase_;
};

}  // namespace warpgraph::pagerank
