// The parts of a round of pushes that host and device share.
#pragma once

#include "algorithms/pagerank/push/push.hpp"

#include <cstdint>

namespace warpgraph::pagerank {

/// An amount of residual, divided by 1 - alpha: in these units the residuals add up to `one` at
/// first, and to less after each push.
using Units = std::int64_t;
inline constexpr Units one = Units{1} << 62;

/// Returns the nearest integer. Amounts are at most `one`, and rounding the sum here does not
/// matter: from 2^52 on, they are integers.
WARPGRAPH_HOST_DEVICE inline Units rounded(double amount) {
  return static_cast<Units>(amount + 0.5);
}

/// A part of the row of a vertex in the frontier. Chunks balance the work of rows of hubs.
struct FrontierChunk {
  vertex_t vertex;
  std::uint32_t index;
  double per_weight;  // what an arc of weight 1 receives
};

/// A distribution on the host or on a device.
struct Support {
  const vertex_t* vertices;  // nullptr: all vertices
  const double* values;      // nullptr: `uniform`
  double uniform;
  std::int64_t size;

  Support(const SparseDistribution& from, const vertex_t* at, const double* numbers,
          vertex_t n_vertices)
      : vertices(from.vertices.empty() ? nullptr : at),
        values(from.values.empty() ? nullptr : numbers),
        uniform(1 / static_cast<double>(n_vertices)),
        size(from.values.empty() ? n_vertices : static_cast<std::int64_t>(from.values.size())) {}

  [[nodiscard]] WARPGRAPH_HOST_DEVICE vertex_t vertex(std::int64_t i) const {
    return vertices == nullptr ? static_cast<vertex_t>(i) : vertices[i];
  }
  /// Returns the part of an amount that vertex(i) receives.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE Units share(Units amount, std::int64_t i) const {
    return rounded(static_cast<double>(amount) * (values == nullptr ? uniform : values[i]));
  }
};

/// The sums over the pushes of a round.
struct PushTotals {
  Units taken = 0;     // from the residuals of pushed vertices
  Units dangling = 0;  // alpha times those of dangling ones
  Units given = 0;     // to residuals
  std::int64_t arcs = 0;
};

/// The rows and numbers of the vertices, as pushes read and write them.
template <class W>
struct PushView {
  CsrView<W> graph;
  const double* weight_sums;  // not read if all weights are 1
  double alpha;
  Units* residuals;
  double* scores;  // the iterate x, in units

  [[nodiscard]] WARPGRAPH_HOST_DEVICE double weight_sum(vertex_t v) const {
    return graph.weights == nullptr ? static_cast<double>(graph.degree(v)) : weight_sums[v];
  }
  /// Counts a residual that is taken from v to be pushed. Returns the share of an arc of weight 1.
  WARPGRAPH_HOST_DEVICE double take(vertex_t v, Units amount, PushTotals& totals) const {
    const double pushed = alpha * static_cast<double>(amount);
    const double sum = weight_sum(v);
    totals.taken += amount;
    totals.arcs += graph.degree(v);
    if (sum != 0) return pushed / sum;
    totals.dangling += rounded(pushed);
    return 0;
  }
  /// Returns the share of the arc at a position.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE Units share(double per_weight, edge_t position) const {
    if (graph.weights == nullptr) return rounded(per_weight);
    return rounded(per_weight * static_cast<double>(graph.weights[position]));
  }
};

/// The state between rounds, in units. Host and device decide by it alone.
struct PushState {
  Units residual;  // sum of the residuals of vertices
  Units pool;      // residual that dangling vertices have pushed, not distributed yet
  double pushed;   // the sum of the iterate
  std::int64_t work;
  int rounds;

  static constexpr int divisor = 8;

  /// Returns an estimate of the time, in visits: barriers of a device take as long as 2^14 of them.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::int64_t cost() const {
    return work + (std::int64_t{rounds} << 14);
  }

  [[nodiscard]] WARPGRAPH_HOST_DEVICE Units total() const { return residual + pool; }

  /// Returns the least residual of the vertices that the next round pushes.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE Units threshold(std::int64_t n_reached) const {
    const Units part = total() / divisor / n_reached;
    return part < 1 ? 1 : part;
  }
  /// Returns whether to distribute the pool after a round. Dense distributions take as long as a
  /// round.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE bool spreads() const {
    return pool > 0 && pool >= total() / divisor;
  }

  /// Counts the visits of a round before its pushes. These may be left out if the rounds have
  /// ended; the state is then that before the round, and scores are of no use.
  WARPGRAPH_HOST_DEVICE void count_visits(const PushTotals& totals, std::int64_t n_reached) {
    work += n_reached + totals.arcs;
  }
  WARPGRAPH_HOST_DEVICE void end_round(const PushTotals& totals) {
    residual += totals.given - totals.taken;
    pool += totals.dangling;
    pushed += static_cast<double>(totals.taken);
    ++rounds;
  }
  WARPGRAPH_HOST_DEVICE void end_spread(Units given, std::int64_t n_given) {
    residual += given;
    pool = 0;
    work += n_given;
  }
  /// Returns the score of a vertex, x + r divided by the sum, if there is no pool.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE double score(double x, Units r) const {
    return (x + static_cast<double>(r)) / (pushed + static_cast<double>(residual));
  }
};

inline PushState first_push_state() { return {0, one, 0, 0, 0}; }

/// The limits at which rounds end.
struct PushLimits {
  double alpha;
  double bound;  // of the error, in units of 2^-62
  int max_rounds;
  std::int64_t max_work;

  explicit PushLimits(const PushOptions& options)
      : alpha(options.alpha),
        bound(options.error_bound * static_cast<double>(one)),
        max_rounds(options.max_rounds),
        max_work(options.max_work) {}

  /// Returns a bound of the error of the scores, in sum and units of 2^-62: by the residuals, by
  /// rounding shares, and by adding up float64 numbers in each round (push.hpp).
  [[nodiscard]] WARPGRAPH_HOST_DEVICE double error(const PushState& state) const {
    constexpr double of_round = 0x1p10;
    return 2 * alpha * static_cast<double>(state.total()) + static_cast<double>(state.work) +
           of_round * state.rounds;
  }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE bool has_converged(const PushState& state) const {
    return error(state) < bound;
  }
  /// Returns whether rounds have ended. If nothing is left, no round changes anything.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE bool has_ended(const PushState& state) const {
    return has_converged(state) || state.rounds >= max_rounds || is_too_long(state) ||
           state.total() == 0;
  }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE bool is_too_long(const PushState& state) const {
    return state.work > max_work;
  }
  [[nodiscard]] PushResult result(const PushState& state) const {
    return {state.rounds, error(state) / static_cast<double>(one), has_converged(state)};
  }
};

}  // namespace warpgraph::pagerank
