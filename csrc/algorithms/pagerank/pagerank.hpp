// PageRank: scores[v] is the probability that a random walk is at v. With probability alpha the
// walk follows an arc that leaves its vertex, chosen by weight; from a vertex without such arcs it
// continues at a vertex chosen by `dangling`. With probability 1 - alpha it starts again at a
// vertex chosen by `personalization` [1]. These are the scores of NetworkX, parallel arcs adding
// up.
//
// The method is the power iteration. A sweep computes
//
//   scores'[v] = alpha (sum of weight(u, v) contribution[u] + mass dangling[v])
//                + (1 - alpha) personalization[v]
//
// where contribution[u] = scores[u] / (sum of the weights that leave u), and mass is the sum of the
// scores of all vertices without weights that leave. Sweeps end when the change, sum |scores' -
// scores|, is less than change_bound, or after max_sweeps. If the graph is symmetric, pagerank_cpu
// and pagerank_cuda need fewer sweeps than the power iteration (chebyshev.hpp).
//
// What the change says about the error. Let F be the map of a sweep, x* its fixed point, which is
// the exact result, and |.| the sum of absolute values. F(x) - F(y) = M (x - y), and each column of
// M adds up to alpha: of a vertex by the probabilities of its arcs, of a dangling one by
// `dangling`. So |F(x) - F(y)| <= alpha |x - y| for all vectors x and y, whatever n_vertices is,
// and for alpha < 1
//
//   |x - x*| <= |F(x) - x| / (1 - alpha),   |F(x) - x*| <= alpha |F(x) - x| / (1 - alpha).
//
// The change is |F(x) - x| of the x that the sweep began with, also where accelerated sweeps write
// something else than F(x). Then x is returned, to which the first bound applies; else F(x), to
// which the second one applies. Returning 0 in place of numbers below it brings scores closer to
// x*, where none is negative. So the caller who wants an error below e passes change_bound = e (1 -
// alpha) for symmetric graphs, and e (1 - alpha) / alpha for others. NetworkX's rule is
// change_bound = n_vertices * tol. For alpha = 1, F need not bring anything closer, and there is no
// such bound.
//
// A sweep multiplies the change by the factor alpha at most, and the first one is at most 2. So
// change_bound = b takes at most 1 + log(b / 2) / log(alpha) sweeps of the power iteration: about
// 102 for alpha = 0.85 and an error of 1e-6. Accelerated sweeps become those of the power iteration
// after twice the number that should suffice for 2^-60, so they end, too.
//
// Rounding. A sweep computes F(x) + r. Relative to a score, each level of 256 values of a sum over
// arcs (row_sums.hpp) takes 35 additions; with weight sums, which have as many, products and
// quotients, |r| <= (70 levels + 16) 2^-53 < 2^-44, and sums over vertices round to multiples of
// 2^-72 (sweep.hpp), so that r and the change have errors below n_vertices * 2^-72 besides. With
// rho = 2^-44 + n_vertices * 2^-72, the bounds above are (|F(x) - x| + rho) / (1 - alpha) and
// (alpha |F(x) - x| + rho) / (1 - alpha): no error below rho / (1 - alpha), 4e-13 for alpha = 0.85,
// can be told from rounding, and changes stay below 2 rho / (1 - alpha), which may be all that
// sweeps reach: where walks alternate between two sides, rounding is hardly damped and sustains
// changes of about that size. The error is nevertheless small. As |F(x) + r - x*| <= alpha |x - x*|
// + rho, k sweeps of the power iteration from x lead to an error of at most
//
//   alpha^k |x - x*| + rho / (1 - alpha),
//
// whatever the changes are, with |x - x*| <= 2 at the start and <= 6 / (1 - alpha) after
// accelerated sweeps. So the caller who wants an error e > rho / (1 - alpha) passes max_sweeps of
// which enough are of the power iteration, and may take the scores after all of them for converged.
// python/warpgraph/_rank/stopping.py has these bounds.
//
// pagerank_cpu and pagerank_cuda pull: each vertex gathers the contributions of its row in the
// transposed graph, so no two threads write to the same place [2]. A sweep is one pass over the
// graph. It reads the contributions before the sweep and writes those after it, and no scores: they
// are contributions times weight sums, which is also how the change is known. All sums are of
// float64 numbers. Those over arcs have the order of row_sums.hpp, which depends on the graph
// alone; those over vertices are the same for every order (sweep.hpp). So scores are the same bit
// by bit for any number of threads, on any device and for any order in which vertices are visited.
// pagerank_reference pushes along the arcs of the graph itself, in their order.
//
// On several endpoints of the runtime, each has the rows of a part of the vertices, with about as
// many arcs as any other one, and all contributions. After a sweep it sends those of its own
// vertices to all others, with its totals; since these are exact sums, all endpoints take the same
// decisions, and the scores are those of a single device. On CUDA devices, the kernel of a sweep
// writes them into the memory of the others, and rows are dealt in the order of their degrees where
// that lets gathers hit caches more often (team/swept_parts.cuh).
//
// A sweep moves, at least: 4 bytes per arc for its tail, and its weight if not all are 1; per
// vertex an offset (4 or 8 bytes) and three float64 numbers: its contribution read and written, its
// weight sum read. The sum is not stored where all weights are 1 and as many arcs leave each vertex
// as enter it. Gathers read a contribution per arc besides, where caches do not hold them.
//
// [1] Page, Brin, Motwani, Winograd: The PageRank citation ranking: bringing order to the web.
//     Stanford 1999.
// [2] Beamer, Asanovic, Patterson: Reducing PageRank communication via propagation blocking.
//     IPDPS 2017.
// [3] Rump: Ultimately fast accurate summation. SIAM Journal on Scientific Computing 2009.
#pragma once

#include "core/device.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/types.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace warpgraph {

class DevicePartition;
namespace cuda {
class DerivedCache;
class Stream;
}  // namespace cuda

struct PageRankOptions {
  double alpha = 0.85;
  double change_bound = 1e-6;
  int max_sweeps = 100;
  bool symmetric = false;                 // the graph equals the transposed one
  MemoryBudget budget = {};               // besides the results
  cuda::DerivedCache* derived = nullptr;  // of the transposed graph on the device, if it is kept
  DevicePartition* parts = nullptr;       // of the transposed graph, for several CUDA devices
  /// The fewest vertices of a graph that is renumbered on a device, if that lets gathers hit caches
  /// more often and memory suffices. Scores do not depend on it. Contributions of fewer vertices
  /// fit the caches anyway.
  vertex_t least_renumbered = 1 << 17;
};

/// The vectors of a call: one number per vertex in each, in host memory, where the weight sums of
/// pagerank_cuda may also be in that of the stream's device. Those that may be empty must otherwise
/// have the sum 1.
struct PageRankVectors {
  std::span<const double> weight_sums = {};      // of the weights that leave each vertex
  std::span<const double> personalization = {};  // empty: 1 / n_vertices each
  std::span<const double> dangling = {};         // empty: as personalization
  std::span<const double> start = {};            // the first scores; empty: 1 / n_vertices each
};

/// The scores, in host memory or in that of the stream's device.
struct PageRankScores {
  std::span<double> items;
  bool on_device = false;
};

struct PageRankResult {
  int sweeps = 0;
  double change = 0;  // sum of |scores' - scores| of the last sweep
  bool converged = false;
};

struct LeavingWeights {
  bool in_range = true;  // whether every sum is 0 or in least_weight_sum .. largest_weight_sum
  bool all_ones = true;
};

/// The range of sums of weights that leave a vertex. Beyond it a contribution, or its product with
/// a weight, could leave the range in which float64 numbers have full precision.
inline constexpr double least_weight_sum = 1e-270;
inline constexpr double largest_weight_sum = 1e270;

/// Writes the sums of the weights that leave each vertex of the graph itself. Weights must not be
/// negative. All are 1 if the view has none.
template <class W>
LeavingWeights sum_leaving_weights(const CsrView<W>& graph, std::span<double> weight_sums);

/// Writes the same sums for a graph with weights in the memory of the stream's device. Waits.
template <class W>
LeavingWeights sum_leaving_weights_cuda(const CsrView<W>& graph, std::span<double> weight_sums,
                                        const cuda::Stream& stream);
/// The sums that a graph keeps on a device, and what was found with them.
struct KeptLeavingWeights {
  LeavingWeights found;
  std::shared_ptr<const double> sums;  // in the memory of the device
};
/// Returns the sums of a graph in the memory of the device of its derived structures. They are made
/// unless they are kept there.
template <class W>
KeptLeavingWeights keep_leaving_weights(const CsrView<W>& graph, cuda::DerivedCache& derived);

/// Returns what pagerank_cpu asks for.
[[nodiscard]] MemoryNeed need_of_pagerank(const CsrPattern& transposed);
/// Returns what pagerank_push_cpu asks for.
[[nodiscard]] MemoryNeed need_of_pushes(const CsrPattern& graph);
/// Returns what pagerank_multi asks for on the host.
[[nodiscard]] MemoryNeed need_of_pagerank_on_workers(const CsrPattern& transposed,
                                                     std::size_t n_workers);

/// Computes the scores of at least one vertex. All weights are 1 if the view has none. `graph` is
/// the graph itself.
template <class W>
PageRankResult pagerank_reference(const CsrView<W>& graph, const PageRankVectors& vectors,
                                  const PageRankOptions& options, PageRankScores scores);
template <class W>
PageRankResult pagerank_cpu(const CsrView<W>& transposed, const PageRankVectors& vectors,
                            const PageRankOptions& options, PageRankScores scores);
/// Computes scores of a graph whose transposed one is in the memory of the stream's device. Waits
/// for the stream.
template <class W>
PageRankResult pagerank_cuda(const CsrView<W>& transposed, const PageRankVectors& vectors,
                             const PageRankOptions& options, PageRankScores scores,
                             const cuda::Stream& stream);
/// Computes scores on an endpoint for each entry of `devices`, all of which are the host or CUDA
/// devices. `transposed` and the scores are in host memory.
template <class W>
PageRankResult pagerank_multi(const CsrView<W>& transposed, const PageRankVectors& vectors,
                              const PageRankOptions& options, PageRankScores scores,
                              const std::vector<Device>& devices);

}  // namespace warpgraph
