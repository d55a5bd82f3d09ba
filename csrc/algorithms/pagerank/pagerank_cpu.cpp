#include "algorithms/pagerank/pagerank.hpp"
#include "algorithms/pagerank/sweep.hpp"
#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "primitives/row_reduction/row_reduction.hpp"

#include <cmath>

namespace warpgraph {
namespace pagerank {
namespace {

/// Blocks of 256 vertices per block of work: about 5 microseconds.
constexpr std::int64_t blocks_per_task = 16;
/// The other threads spin between the loops of sweeps over fewer vertices and arcs: waking them
/// twice a sweep would take a good part of its time.
constexpr std::int64_t most_work_to_spin = 1 << 23;

/// The data pointer of an empty span from Python need not be null.
Distribution distribution_of(std::span<const double> items, std::int64_t n_vertices) {
  return distribution(items.empty() ? nullptr : items.data(), n_vertices);
}

template <class W>
class Sweeps {
 public:
  Sweeps(const CsrView<W>& transposed, const PageRankVectors& vectors,
         const PageRankOptions& options, std::span<double> scores)
      : transposed_(transposed),
        vectors_(vectors),
        options_(options),
        scores_(scores.data()),
        n_(transposed.n_vertices),
        row_blocks_(transposed),
        received_(n_),
        contributions_(n_),
        block_totals_(blocks_of(n_)) {}

  PageRankResult run() {
    const double tolerance = static_cast<double>(n_) * options_.tolerance;
    PageRankResult result;
    Totals totals =
        visit_vertices(Start{distribution_of(vectors_.start, n_), vectors_.inverse_sums.data(),
                             scores_, contributions_.get()},
                       0);
    while (!result.converged && result.sweeps < options_.max_sweeps) {
      report_progress(result.sweeps, options_.max_sweeps);
      receive();
      totals = visit_vertices(update(), totals.mass);
      result = {result.sweeps + 1, totals.change, totals.change < tolerance};
    }
    report_progress(options_.max_sweeps, options_.max_sweeps);
    return result;
  }

 private:
  void receive() {
    if (transposed_.weights == nullptr) {
      reduce_rows(transposed_, row_blocks_, ReceivedUnweighted{contributions_.get()}, Add{}, 0.0,
                  received_.get());
    } else {
      reduce_rows(transposed_, row_blocks_, Received<W>{contributions_.get(), transposed_.weights},
                  Add{}, 0.0, received_.get());
    }
  }

  [[nodiscard]] Update update() const {
    const Distribution personalization = distribution_of(vectors_.personalization, n_);
    return {personalization,
            vectors_.dangling.empty() ? personalization : distribution_of(vectors_.dangling, n_),
            vectors_.inverse_sums.data(),
            received_.get(),
            scores_,
            contributions_.get(),
            options_.alpha,
            1 - options_.alpha};
  }

  /// Calls visit(v, mass) for every vertex, and adds the totals.
  template <class Visit>
  Totals visit_vertices(const Visit& visit, double mass) {
    const std::int64_t n_blocks = blocks_of(n_);
    parallel_for(
        n_blocks,
        [&](std::int64_t b) {
          const std::int64_t first = b * block_vertices;
          block_totals_[b] =
              add_in_lanes<block_lanes>(std::min(block_vertices, n_ - first),
                                        [&](std::int64_t i) { return visit(first + i, mass); });
        },
        blocks_per_task);
    return add_in_lanes<total_lanes>(n_blocks, [&](std::int64_t b) { return block_totals_[b]; });
  }

  const CsrView<W> transposed_;
  const PageRankVectors& vectors_;
  const PageRankOptions& options_;
  double* const scores_;
  const std::int64_t n_;
  const RowBlocks row_blocks_;
  const HostArray<double> received_;
  const HostArray<double> contributions_;
  const HostArray<Totals> block_totals_;
};

void require_memory(const CsrPattern& transposed, const PageRankOptions& options) {
  const auto n = static_cast<std::size_t>(transposed.n_vertices);
  const auto work = n + static_cast<std::size_t>(transposed.n_arcs);
  const auto n_blocks = static_cast<std::size_t>(blocks_of(transposed.n_vertices));
  MemoryBudget(Device{}, options.memory_limit)
      .require("PageRank",
               2 * n * sizeof(double) + n_blocks * sizeof(Totals) + (work >> 14) * sizeof(vertex_t),
               "free some memory or use a smaller graph");
}

}  // namespace
}  // namespace pagerank

template <class W>
LeavingWeights invert_leaving_weights(const CsrView<W>& graph, std::span<double> inverse_sums) {
  const auto weight = [&](vertex_t, vertex_t, edge_t e) {
    return static_cast<double>(graph.weights[e]);
  };
  if (graph.weights == nullptr) {
    parallel_for(graph.n_vertices, [&](std::int64_t v) {
      inverse_sums[static_cast<std::size_t>(v)] =
          static_cast<double>(graph.degree(static_cast<vertex_t>(v)));
    });
  } else {
    reduce_rows(graph, RowBlocks(graph), weight, pagerank::Add{}, 0.0, inverse_sums.data());
  }
  LeavingWeights found;
  found.all_ones = graph.weights == nullptr || parallel_find_first(graph.n_arcs, [&](edge_t e) {
                                                 return graph.weights[e] != W{1};
                                               }) == graph.n_arcs;
  found.in_range = parallel_reduce(
      graph.n_vertices, true,
      [&](std::int64_t v) {
        double& sum = inverse_sums[static_cast<std::size_t>(v)];
        const bool in_range = sum == 0 || (sum >= least_weight_sum && sum <= largest_weight_sum);
        sum = sum == 0 ? 0 : 1 / sum;
        return in_range;
      },
      std::logical_and<>{});
  return found;
}

template <class W>
PageRankResult pagerank_cpu(const CsrView<W>& transposed, const PageRankVectors& vectors,
                            const PageRankOptions& options, PageRankScores scores) {
  pagerank::require_memory(transposed, options);
  PageRankResult result;
  const auto run = [&] {
    result = pagerank::Sweeps<W>(transposed, vectors, options, scores.items).run();
  };
  if (transposed.n_vertices + transposed.n_arcs < pagerank::most_work_to_spin) {
    with_spinning_pool(run);
  } else {
    run();
  }
  return result;
}

template <class W>
PageRankResult pagerank_reference(const CsrView<W>& graph, const PageRankVectors& vectors,
                                  const PageRankOptions& options, PageRankScores scores) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  const std::vector<double> uniform(n, 1 / static_cast<double>(n));
  const auto or_else = [](std::span<const double> given, std::span<const double> otherwise) {
    return given.empty() ? otherwise : given;
  };
  const std::span<const double> start = or_else(vectors.start, uniform);
  const std::span<const double> personalization = or_else(vectors.personalization, uniform);
  const std::span<const double> dangling = or_else(vectors.dangling, personalization);
  std::copy(start.begin(), start.end(), scores.items.begin());
  PageRankResult result;
  while (!result.converged && result.sweeps < options.max_sweeps) {
    poll();
    std::vector<double> next(n);
    double mass = 0;
    for (std::size_t u = 0; u < n; ++u) {
      const double contribution = scores.items[u] * vectors.inverse_sums[u];
      if (vectors.inverse_sums[u] == 0) mass += scores.items[u];
      const auto tail = static_cast<vertex_t>(u);
      for (edge_t e = graph.begin(tail); e < graph.end(tail); ++e) {
        const double weight = graph.weights == nullptr ? 1 : static_cast<double>(graph.weights[e]);
        next[static_cast<std::size_t>(graph.heads[e])] += weight * contribution;
      }
    }
    double change = 0;
    for (std::size_t v = 0; v < n; ++v) {
      next[v] =
          options.alpha * (next[v] + mass * dangling[v]) + (1 - options.alpha) * personalization[v];
      change += std::abs(next[v] - scores.items[v]);
      scores.items[v] = next[v];
    }
    result = {result.sweeps + 1, change, change < static_cast<double>(n) * options.tolerance};
  }
  return result;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(invert_leaving_weights)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(pagerank_cpu)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(pagerank_reference)

}  // namespace warpgraph
