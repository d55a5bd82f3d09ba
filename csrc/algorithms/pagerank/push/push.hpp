// PageRank by pushing residuals [1]: the method for walks that start at few vertices, whose scores
// are large near these vertices only. The scores are those of pagerank.hpp, within their errors.
//
// The scores x* are the limit of scores' = F(scores). Of the iterate x, r = F(x) - x is the
// residual. At first x = 0 and r = (1 - alpha) personalization. To push v is to add r[v] to x[v]
// and, for each arc from v to u, alpha r[v] weight(v, u) / weight_sum(v) to r[u]; of a dangling v,
// alpha r[v] is distributed as `dangling`. So residuals are never negative, F(x) = x + r holds
// after each push, and sum |F(x) - x| = sum r falls by (1 - alpha) r[v]. Only vertices that the
// walk has reached are visited, and only those with a large residual are pushed.
//
// A round pushes all vertices whose residual is at least an eighth of the mean over the vertices
// reached. These have at least seven eighths of the sum, and pushing the others could wait: on a
// grid, two fifths of the arcs are visited that a threshold proportional to the tolerance needs, in
// as many rounds. Pushes of a round read the residuals from before it [2].
//
// The result is x + r, divided by its sum. x + r = F(x) is nowhere above x* and lacks alpha / (1 -
// alpha) sum r of it; the division changes as much again. Rounds end when this error, and what
// rounding may add to it, is less than error_bound.
//
// Residuals are integers, of units of 2^-62. Additions of integers are associative, so that the
// order in which threads push does not matter: residuals, the choice of vertices and scores are
// the same bit by bit for any number of threads and on any device. Each share of a push is rounded
// to the next unit, and products and quotients to float64 numbers. By the first, residuals differ
// from F(x) - x by half a unit of (1 - alpha) 2^-62 for each visit; a difference of d in sum
// changes the result by 2 d / (1 - alpha) at most. So visits of a vertices and arcs add a 2^-62 to
// the error. A round adds 2^-52 by the sums of x. The rest is that of a sweep (pagerank.hpp), which
// the caller leaves out of error_bound.
//
// [1] Whang, Lenharth, Dhillon, Pingali: Scalable data-driven PageRank: algorithms, system issues,
//     and lessons learned. Euro-Par 2015.
// [2] Ben-Nun, Sutton, Pai, Pingali: Groute: an asynchronous multi-GPU programming model for
//     irregular computations. PPoPP 2017. There, pushes read residuals at any time.
#pragma once

#include "algorithms/pagerank/pagerank.hpp"
#include "core/memory/memory_budget.hpp"

#include <limits>

namespace warpgraph {

struct PushOptions {
  double alpha = 0.85;
  double error_bound = 1e-6;
  int max_rounds = 100;
  /// The most visits of vertices and arcs in all. Before more of them, rounds end without
  /// convergence, and with scores of no use.
  std::int64_t max_work = std::numeric_limits<std::int64_t>::max();
  MemoryBudget budget = {};               // besides the results
  cuda::DerivedCache* derived = nullptr;  // of the graph on the device, if it is kept
};

/// A distribution in which vertices[i], or i if there are none, has the probability values[i], or 1
/// / n_vertices if there are none. No vertex is listed twice.
struct SparseDistribution {
  std::span<const vertex_t> vertices = {};
  std::span<const double> values = {};
};

/// The vectors of a call, in host memory.
struct PushVectors {
  std::span<const double> weight_sums;  // of the weights that leave each vertex
  SparseDistribution personalization;
  SparseDistribution dangling;
};

struct PushResult {
  int rounds = 0;
  double error = 0;  // a bound of that of the scores, in sum
  bool converged = false;
};

/// Computes the scores of at least one vertex. All weights are 1 if the view has none. `graph` is
/// the graph itself, not the transposed one.
template <class W>
PushResult pagerank_push_cpu(const CsrView<W>& graph, const PushVectors& vectors,
                             const PushOptions& options, PageRankScores scores);
/// Computes the scores of a graph in the memory of the stream's device. Waits for the stream.
template <class W>
PushResult pagerank_push_cuda(const CsrView<W>& graph, const PushVectors& vectors,
                              const PushOptions& options, PageRankScores scores,
                              const cuda::Stream& stream);

}  // namespace warpgraph
