#include "algorithms/pagerank/host_update.hpp"
#include "algorithms/pagerank/pagerank.hpp"
#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "primitives/row_sums/row_sums.hpp"

#include <cmath>

namespace warpgraph {
namespace pagerank {
namespace {

/// Vertices and arcs per block of work: a few microseconds.
constexpr std::int64_t work_per_block = 1 << 13;
/// The other threads spin between sweeps over fewer vertices and arcs: waking them would take a
/// good part of a sweep's time.
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
        weight_sums_(weight_sums()),
        row_blocks_(transposed, work_per_block),
        before_(n_),
        after_(n_),
        totals_(static_cast<std::size_t>(num_threads())) {}

  PageRankResult run() {
    const double tolerance = static_cast<double>(n_) * options_.tolerance;
    Iteration iteration = first_iteration(options_);
    double mass = start();
    while (!iteration.has_converged && iteration.sweeps < options_.max_sweeps) {
      report_progress(iteration.sweeps, options_.max_sweeps);
      const Totals totals = sweep(mass, iteration.acceleration.omega());
      mass = totals.mass.value();
      iteration.end_sweep(totals.change.value(), tolerance);
      std::swap(before_, after_);
    }
    const HostArray<double>& found = iteration.result == iteration.sweeps ? before_ : after_;
    const Scores scores{weight_sums_, found.get()};
    parallel_for(
        n_, [&](std::int64_t v) { scores_[v] = scores[v]; }, light_grain);
    report_progress(options_.max_sweeps, options_.max_sweeps);
    return {iteration.sweeps, iteration.change, iteration.has_converged};
  }

 private:
  struct alignas(64) ThreadTotals {
    Totals totals;
  };

  [[nodiscard]] WeightSums weight_sums() const {
    const WeightSums given{vectors_.weight_sums.data(), transposed_.offsets};
    const WeightSums degrees{nullptr, transposed_.offsets};
    const bool are_degrees =
        transposed_.weights == nullptr &&
        parallel_find_first(n_, [&](std::int64_t v) { return given[v] != degrees[v]; }) == n_;
    return are_degrees ? degrees : given;
  }

  /// Returns the mass.
  double start() {
    const Start visit{distribution_of(vectors_.start, n_), weight_sums_, before_.get()};
    parallel_blocks(n_, light_grain, [&](int thread, std::int64_t first, std::int64_t last) {
      Totals totals;
      for (std::int64_t v = first; v < last; ++v) visit(totals, v);
      totals_[static_cast<std::size_t>(thread)].totals.add(totals);
    });
    return take_totals().mass.value();
  }

  Totals sweep(double mass, double omega) {
    const SweepVectors vectors{before_.get(), after_.get(), mass, omega};
    if (transposed_.weights == nullptr) {
      sweep_with(ReceivedUnweighted<>{before_.get()}, vectors);
    } else {
      sweep_with(Received<W>{before_.get(), transposed_.weights}, vectors);
    }
    return take_totals();
  }

  template <class Value>
  void sweep_with(const Value& value, const SweepVectors& vectors) {
    const Update update = this->update();
    sum_rows(transposed_, row_blocks_, value,
             [&](int thread, vertex_t first, std::span<const double> received) {
               Totals totals;
               with_widest_vectors(UpdateRun{update, vectors, totals, first, received});
               totals_[static_cast<std::size_t>(thread)].totals.add(totals);
             });
  }

  [[nodiscard]] Update update() const {
    const Distribution personalization = distribution_of(vectors_.personalization, n_);
    return {personalization,
            vectors_.dangling.empty() ? personalization : distribution_of(vectors_.dangling, n_),
            weight_sums_, options_.alpha, 1 - options_.alpha};
  }

  /// The totals of all threads, which then are 0.
  Totals take_totals() {
    Totals sum;
    for (ThreadTotals& of_thread : totals_) sum.add(std::exchange(of_thread.totals, {}));
    return sum;
  }

  const CsrView<W> transposed_;
  const PageRankVectors& vectors_;
  const PageRankOptions& options_;
  double* const scores_;
  const std::int64_t n_;
  const WeightSums weight_sums_;
  const RowBlocks row_blocks_;
  HostArray<double> before_;  // contributions
  HostArray<double> after_;
  std::vector<ThreadTotals> totals_;
};

void require_memory(const CsrPattern& transposed, const PageRankOptions& options) {
  const auto n = static_cast<std::size_t>(transposed.n_vertices);
  const auto work = n + static_cast<std::size_t>(transposed.n_arcs);
  MemoryBudget(Device{}, options.memory_limit)
      .require("PageRank",
               2 * n * sizeof(double) +
                   work / static_cast<std::size_t>(work_per_block) * sizeof(vertex_t),
               "free some memory or use a smaller graph");
}

}  // namespace
}  // namespace pagerank

template <class W>
LeavingWeights sum_leaving_weights(const CsrView<W>& graph, std::span<double> weight_sums) {
  if (graph.weights == nullptr) {
    parallel_for(graph.n_vertices, [&](std::int64_t v) {
      weight_sums[static_cast<std::size_t>(v)] =
          static_cast<double>(graph.degree(static_cast<vertex_t>(v)));
    });
  } else {
    sum_rows(
        graph, RowBlocks(graph),
        [&](vertex_t, edge_t e) { return static_cast<double>(graph.weights[e]); },
        [&](int, vertex_t first, std::span<const double> sums) {
          std::copy(sums.begin(), sums.end(), weight_sums.begin() + first);
        });
  }
  LeavingWeights found;
  found.all_ones = graph.weights == nullptr || parallel_find_first(graph.n_arcs, [&](edge_t e) {
                                                 return graph.weights[e] != W{1};
                                               }) == graph.n_arcs;
  found.in_range = parallel_find_first(graph.n_vertices, [&](std::int64_t v) {
                     const double sum = weight_sums[static_cast<std::size_t>(v)];
                     return !(sum == 0 || (sum >= least_weight_sum && sum <= largest_weight_sum));
                   }) == graph.n_vertices;
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
      const bool is_dangling = vectors.weight_sums[u] == 0;
      const double contribution = is_dangling ? 0 : scores.items[u] / vectors.weight_sums[u];
      if (is_dangling) mass += scores.items[u];
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

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(sum_leaving_weights)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(pagerank_cpu)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(pagerank_reference)

}  // namespace warpgraph
