// Sweeps, the iterations of PageRank, on CPU cores: over all rows of a graph or a part of them.
#pragma once

#include "algorithms/pagerank/host_update.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/row_sums/row_sums.hpp"

#include <functional>

namespace warpgraph::pagerank {

/// Number of vertices and arcs of a block of rows, which takes a few microseconds.
inline constexpr std::int64_t work_per_block = 1 << 13;

/// Returns the bytes that sweeps take on so many endpoints of the host: contributions, blocks, and
/// the offsets of the parts of several.
inline std::size_t bytes_of_sweeps(const CsrPattern& transposed, std::size_t n_endpoints) {
  const auto n = static_cast<std::size_t>(transposed.n_vertices);
  const auto work = n + static_cast<std::size_t>(transposed.n_arcs);
  const std::size_t offsets = n_endpoints == 1 ? 0 : (n + n_endpoints) * sizeof(edge_t);
  const std::size_t blocks = work / static_cast<std::size_t>(work_per_block) * sizeof(vertex_t);
  return n_endpoints * 2 * n * sizeof(double) + offsets + blocks;
}

/// Returns the distribution, which is uniform if the span is empty. An empty array of Python may
/// have a data pointer that is not null, so only the size tells.
inline Distribution distribution_of(std::span<const double> items, std::int64_t n_vertices) {
  return distribution(items.empty() ? nullptr : items.data(), n_vertices);
}

/// Returns the sums of the weights that leave each vertex. Sums of an unweighted graph that equal
/// the degrees of the transposed graph are computed from its offsets, which saves a sweep from
/// reading the array.
inline WeightSums weight_sums_of(const CsrPattern& transposed, bool unweighted,
                                 std::span<const double> weight_sums) {
  const std::int64_t n = transposed.n_vertices;
  const WeightSums given{weight_sums.data(), transposed.offsets};
  const WeightSums degrees{nullptr, transposed.offsets};
  const bool are_degrees = unweighted && parallel_find_first(n, [&](std::int64_t v) {
                                           return given[v] != degrees[v];
                                         }) == n;
  return are_degrees ? degrees : given;
}

/// Returns the update of vertices that a sweep does. Without a distribution for dangling vertices
/// it uses that for personalization, as NetworkX does.
inline Update update_of(const PageRankVectors& vectors, const PageRankOptions& options,
                        const WeightSums& weight_sums, std::int64_t n_vertices) {
  const Distribution personalization = distribution_of(vectors.personalization, n_vertices);
  return {
      personalization,
      vectors.dangling.empty() ? personalization : distribution_of(vectors.dangling, n_vertices),
      weight_sums, options.alpha, 1 - options.alpha};
}

/// A function of (thread, totals) that adds the totals of some vertices to those of a thread.
/// Threads call it concurrently.
using AddTotals = FunctionRef<void(int, const Totals&)>;

/// Writes the contributions before the first sweep of the vertices first .. last - 1.
inline void start_vertices(const Start& start, std::int64_t first, std::int64_t last,
                           AddTotals add) {
  parallel_blocks(last - first, light_grain, [&](int thread, std::int64_t begin, std::int64_t end) {
    Totals totals;
    for (std::int64_t v = first + begin; v < first + end; ++v) start(totals, v);
    add(thread, totals);
  });
}

/// The rows of the transposed graph that sweeps visit. The function that sums them depends on the
/// type of the weights; everything else is compiled once.
class SweptRows {
 public:
  template <class W>
  explicit SweptRows(const CsrView<W>& rows)
      : blocks_(rows, work_per_block),
        sum_([rows](const RowBlocks& blocks, const double* contributions, ConsumeSums consume) {
          if (rows.weights == nullptr) {
            sum_rows(rows, blocks, ReceivedUnweighted<>{contributions}, consume);
          } else {
            sum_rows(rows, blocks, Received<W>{contributions, rows.weights}, consume);
          }
        }) {}

  /// Updates the vertices first, first + 1, .. , whose rows these are.
  void sweep(vertex_t first, const Update& update, const SweepVectors& vectors,
             AddTotals add) const {
    sum_(blocks_, vectors.before, [&](int thread, vertex_t row, std::span<const double> received) {
      Totals totals;
      with_widest_vectors(UpdateRun{update, vectors, totals, first + row, received});
      add(thread, totals);
    });
  }

 private:
  RowBlocks blocks_;
  std::function<void(const RowBlocks&, const double* contributions, ConsumeSums)> sum_;
};

}  // namespace warpgraph::pagerank
