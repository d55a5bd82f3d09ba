// Sweeps on CPU cores, over all rows of a graph or over a part of them.
#pragma once

#include "algorithms/pagerank/host_update.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/row_sums/row_sums.hpp"

namespace warpgraph::pagerank {

/// Vertices and arcs per block of work: a few microseconds.
inline constexpr std::int64_t work_per_block = 1 << 13;

/// The data pointer of an empty span from Python need not be null.
inline Distribution distribution_of(std::span<const double> items, std::int64_t n_vertices) {
  return distribution(items.empty() ? nullptr : items.data(), n_vertices);
}

/// Without an array if the sums are the degrees of the transposed graph.
template <class W>
WeightSums weight_sums_of(const CsrView<W>& transposed, std::span<const double> weight_sums) {
  const std::int64_t n = transposed.n_vertices;
  const WeightSums given{weight_sums.data(), transposed.offsets};
  const WeightSums degrees{nullptr, transposed.offsets};
  const bool are_degrees =
      transposed.weights == nullptr &&
      parallel_find_first(n, [&](std::int64_t v) { return given[v] != degrees[v]; }) == n;
  return are_degrees ? degrees : given;
}

inline Update update_of(const PageRankVectors& vectors, const PageRankOptions& options,
                        const WeightSums& weight_sums, std::int64_t n_vertices) {
  const Distribution personalization = distribution_of(vectors.personalization, n_vertices);
  return {
      personalization,
      vectors.dangling.empty() ? personalization : distribution_of(vectors.dangling, n_vertices),
      weight_sums, options.alpha, 1 - options.alpha};
}

/// Calls add(thread, totals) with the first contributions of the vertices first .. last - 1.
template <class Add>
void start_vertices(const Start& start, std::int64_t first, std::int64_t last, const Add& add) {
  parallel_blocks(last - first, light_grain, [&](int thread, std::int64_t begin, std::int64_t end) {
    Totals totals;
    for (std::int64_t v = first + begin; v < first + end; ++v) start(totals, v);
    add(thread, totals);
  });
}

/// Calls add(thread, totals) with those of the vertices first, first + 1, .. , whose rows these
/// are.
template <class W, class Add>
void sweep_rows(const CsrView<W>& rows, const RowBlocks& blocks, vertex_t first,
                const Update& update, const SweepVectors& vectors, const Add& add) {
  const auto sweep_with = [&](const auto& value) {
    sum_rows(rows, blocks, value, [&](int thread, vertex_t row, std::span<const double> received) {
      Totals totals;
      with_widest_vectors(UpdateRun{update, vectors, totals, first + row, received});
      add(thread, totals);
    });
  };
  if (rows.weights == nullptr) {
    sweep_with(ReceivedUnweighted<>{vectors.before});
  } else {
    sweep_with(Received<W>{vectors.before, rows.weights});
  }
}

}  // namespace warpgraph::pagerank
