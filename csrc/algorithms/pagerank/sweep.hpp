// The parts of a sweep that host and device share: the value of an arc, the update of a vertex,
// totals over all vertices, and what follows from them.
#pragma once

#include "algorithms/pagerank/chebyshev.hpp"
#include "algorithms/pagerank/pagerank.hpp"

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace warpgraph::pagerank {

/// The type of the numbers of vertices that are updated together: one by a thread of a device, a
/// vector of them by a CPU core (host_update.hpp).
struct OneLane {
  using Number = double;
};

/// A sum of numbers above -2 whose total is below 8, the same for every order of additions, since
/// none of them rounds ([3] of pagerank.hpp): each number is divided into a multiple of 2^-50 and
/// one of 2^-72, whose sums have at most 53 bits, and a rest. Together the rests of 2^31 numbers
/// are below 2^-41; they are dropped. The change of an accelerated sweep is at most three times the
/// first one, which is at most 2 (chebyshev.hpp).
template <class Lanes>
struct ExactSum {
  using Number = typename Lanes::Number;

  Number high{};
  Number low{};

  // Passed by reference: how vectors are passed by value depends on the instructions enabled.
  [[gnu::always_inline]] WARPGRAPH_HOST_DEVICE void add(const Number& x) {
    // The sums are in 2^2 .. 2^4, where numbers are multiples of 2^-50, and in 2^-20 .. 2^-19,
    // where they are multiples of 2^-72.
    constexpr double high_shift = 0x1.8p2;
    constexpr double low_shift = 0x1.8p-20;
    const Number high_part = (x + high_shift) - high_shift;
    high += high_part;
    low += ((x - high_part) + low_shift) - low_shift;
  }
  WARPGRAPH_HOST_DEVICE void add(const ExactSum& other) {
    high += other.high;
    low += other.low;
  }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE double value() const { return high + low; }
};

template <class Lanes>
struct TotalsOf {
  ExactSum<Lanes> change;  // of |scores' - scores|
  ExactSum<Lanes> mass;    // of the scores of dangling vertices

  WARPGRAPH_HOST_DEVICE void add(const TotalsOf& other) {
    change.add(other.change);
    mass.add(other.mass);
  }
};
using Totals = TotalsOf<OneLane>;

/// The amount that a vertex receives along an arc of the transposed graph. `Contributions` is an
/// array, or what is read like one.
template <class W, class Contributions = const double*>
struct Received {
  Contributions contributions;
  const W* weights;
  WARPGRAPH_HOST_DEVICE double operator()(vertex_t head, edge_t position) const {
    return static_cast<double>(weights[position]) * contributions[head];
  }
};

/// The amount that a vertex receives along an arc if all weights are 1.
template <class Contributions = const double*>
struct ReceivedUnweighted {
  Contributions contributions;
  WARPGRAPH_HOST_DEVICE double operator()(vertex_t head, edge_t) const {
    return contributions[head];
  }
};

/// A distribution with one number per vertex, or `uniform` for each if there is no array.
struct Distribution {
  const double* items;
  double uniform;
  WARPGRAPH_HOST_DEVICE double operator[](std::int64_t v) const {
    return items == nullptr ? uniform : items[v];
  }
};

inline Distribution distribution(const double* items, std::int64_t n_vertices) {
  return {items, 1 / static_cast<double>(n_vertices)};
}

/// The sums of the weights that leave each vertex. Without an array they are the numbers of arcs of
/// the rows: all weights are 1, and as many arcs leave each vertex as enter it.
struct WeightSums {
  const double* items;
  Offsets offsets;
  [[gnu::always_inline]] WARPGRAPH_HOST_DEVICE double operator[](std::int64_t v) const {
    return of(v, items != nullptr ? 0 : offsets[v + 1] - offsets[v]);
  }
  /// Returns the sum of v, whose row has `degree` arcs.
  [[gnu::always_inline]] WARPGRAPH_HOST_DEVICE double of(std::int64_t v, edge_t degree) const {
    return items != nullptr ? items[v] : static_cast<double>(degree);
  }
};

/// Returns the divisor of a score. The contribution of a dangling vertex is its score: arcs that
/// leave it, if any, have the weight 0.
WARPGRAPH_HOST_DEVICE inline double divisor(double weight_sum) {
  return weight_sum == 0 ? 1 : weight_sum;
}

/// The contributions before the first sweep.
struct Start {
  Distribution start;
  WeightSums weight_sums;
  double* contributions;

  [[nodiscard]] WARPGRAPH_HOST_DEVICE double contribution(Totals& totals, std::int64_t v) const {
    const double sum = weight_sums[v];
    const double contribution = start[v] / divisor(sum);
    totals.mass.add(sum == 0 ? contribution : 0);
    return contribution;
  }
  WARPGRAPH_HOST_DEVICE void operator()(Totals& totals, std::int64_t v) const {
    contributions[v] = contribution(totals, v);
  }
};

/// The state between sweeps. It is trivial: blocks of threads keep one in shared memory.
struct Iteration {
  int sweeps;
  int result;  // the number of sweeps after which the contributions are those that are returned
  double change;
  bool has_converged;
  Chebyshev acceleration;

  /// Ends a sweep, which shows whether the contributions before it have converged. If they have,
  /// they are the result, unless the sweep wrote the next iterate of the power iteration.
  WARPGRAPH_HOST_DEVICE void end_sweep(double total_change, double change_bound) {
    change = total_change;
    has_converged = change < change_bound;
    result = has_converged && acceleration.omega() != 1 ? sweeps : sweeps + 1;
    ++sweeps;
    acceleration.advance(change);
  }
};

inline Iteration first_iteration(const PageRankOptions& options) {
  return {0, 0, 0, false, Chebyshev(options.alpha, options.symmetric)};
}

/// Sweeps until convergence. `mass` is that of dangling vertices at the start. sweep(iteration,
/// mass) returns the totals; report(sweeps) is called before each.
template <class Sweep, class Report>
Iteration run_sweeps(const PageRankOptions& options, double mass, const Sweep& sweep,
                     const Report& report) {
  Iteration iteration = first_iteration(options);
  while (!iteration.has_converged && iteration.sweeps < options.max_sweeps) {
    report(iteration.sweeps);
    const Totals totals = sweep(iteration, mass);
    mass = totals.mass.value();
    iteration.end_sweep(totals.change.value(), options.change_bound);
  }
  return iteration;
}

/// The values that change from sweep to sweep.
struct SweepVectors {
  const double* before;  // contributions
  double* after;
  double mass;   // of dangling vertices, before
  double omega;  // of chebyshev.hpp; if it is not 1, `after` holds those before the last sweep
};

/// The numbers that the update of a vertex reads.
template <class Lanes>
struct VertexState {
  typename Lanes::Number received;
  typename Lanes::Number before;  // its contribution
  typename Lanes::Number weight_sum;
  typename Lanes::Number dangling;
  typename Lanes::Number personalization;
  typename Lanes::Number older;  // its contribution before the last sweep, if omega is not 1
};

/// The rule that makes contributions after a sweep of the sums that vertices received.
struct Update {
  Distribution personalization;
  Distribution dangling;
  WeightSums weight_sums;
  double alpha;
  double restart;  // 1 - alpha

  template <class Lanes>
  [[gnu::always_inline]] WARPGRAPH_HOST_DEVICE void write_contribution(
      TotalsOf<Lanes>& totals, const VertexState<Lanes>& v, const SweepVectors& sweep,
      typename Lanes::Number& after) const {
    using Number = typename Lanes::Number;
    const Number score =
        alpha * (v.received + sweep.mass * v.dangling) + restart * v.personalization;
    const Number by = v.weight_sum == 0 ? Number{} + 1 : v.weight_sum;  // as divisor()
    after = score / by;
    Number change = after - v.before;
    if constexpr (std::is_same_v<Lanes, OneLane>) {
      change = std::fabs(change);
    } else {
      change = change < 0 ? -change : change;
    }
    totals.change.add(change * by);
    if (sweep.omega != 1) after = v.older + sweep.omega * (after - v.older);
    totals.mass.add(v.weight_sum == 0 ? after : Number{});
  }

  /// The contributions of a vertex before the sweep and, if omega is not 1, before the last one.
  struct Own {
    double before;
    double older;
  };
  [[gnu::always_inline]] WARPGRAPH_HOST_DEVICE static Own load(std::int64_t v,
                                                               const SweepVectors& sweep) {
    return {sweep.before[v], sweep.omega == 1 ? 0 : sweep.after[v]};
  }
  /// Updates vertex v, whose row has `degree` arcs.
  [[gnu::always_inline]] WARPGRAPH_HOST_DEVICE void operator()(Totals& totals, std::int64_t v,
                                                               edge_t degree, const Own& own,
                                                               double received,
                                                               const SweepVectors& sweep) const {
    const VertexState<OneLane> state{received,    own.before,         weight_sums.of(v, degree),
                                     dangling[v], personalization[v], own.older};
    double after = 0;
    write_contribution(totals, state, sweep, after);
    sweep.after[v] = after;
  }
};

/// The scores of given contributions. Accelerated sweeps may leave contributions near 0 negative.
struct Scores {
  WeightSums weight_sums;
  const double* contributions;

  WARPGRAPH_HOST_DEVICE double operator[](std::int64_t v) const { return of(v, contributions[v]); }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE double of(std::int64_t v, double contribution) const {
    const double score = contribution * divisor(weight_sums[v]);
    return score > 0 ? score : 0;
  }
};

}  // namespace warpgraph::pagerank
