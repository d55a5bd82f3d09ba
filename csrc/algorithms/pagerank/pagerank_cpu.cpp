#include "algorithms/pagerank/host_sweep.hpp"
#include "algorithms/pagerank/pagerank.hpp"
#include "core/error.hpp"
#include "core/threads/small_work.hpp"

#include <array>
#include <cmath>

namespace warpgraph {
namespace pagerank {
namespace {

/// The most vertices and arcs between whose sweeps the other threads spin: waking them would take a
/// good part of a sweep's time.
constexpr std::int64_t max_work_to_spin = 1 << 23;
/// The time of a vertex or an arc of a small graph in all sweeps, on one core.
constexpr double visits_ns = 60;

class Sweeps {
 public:
  template <class W>
  Sweeps(const CsrView<W>& transposed, const PageRankVectors& vectors,
         const PageRankOptions& options, std::span<double> scores)
      : vectors_(vectors),
        options_(options),
        scores_(scores.data()),
        n_(transposed.n_vertices),
        weight_sums_(
            weight_sums_of(transposed, transposed.weights == nullptr, vectors.weight_sums)),
        update_(update_of(vectors, options, weight_sums_, n_)),
        rows_(transposed),
        contributions_{HostArray<double>(n_), HostArray<double>(n_)},
        totals_(static_cast<std::size_t>(num_threads())) {}

  PageRankResult run() {
    const Iteration last = run_sweeps(
        options_, start(),
        [&](const Iteration& iteration, double mass) { return sweep(iteration, mass); },
        [&](int sweeps) { report_progress(sweeps, options_.max_sweeps); });
    const Scores scores{weight_sums_, contributions_after(last.result)};
    parallel_for(
        n_, [&](std::int64_t v) { scores_[v] = scores[v]; }, light_grain);
    report_progress(options_.max_sweeps, options_.max_sweeps);
    return {last.sweeps, last.change, last.has_converged};
  }

 private:
  struct alignas(64) ThreadTotals {
    Totals totals;
  };

  [[nodiscard]] double* contributions_after(int sweeps) const {
    return contributions_[static_cast<std::size_t>(sweeps % 2)].get();
  }

  [[nodiscard]] auto adder() {
    return [this](int thread, const Totals& totals) {
      totals_[static_cast<std::size_t>(thread)].totals.add(totals);
    };
  }

  /// Writes the first contributions and returns the mass.
  double start() {
    const Start visit{distribution_of(vectors_.start, n_), weight_sums_, contributions_after(0)};
    start_vertices(visit, 0, n_, adder());
    return take_totals().mass.value();
  }

  Totals sweep(const Iteration& iteration, double mass) {
    const SweepVectors vectors{contributions_after(iteration.sweeps),
                               contributions_after(iteration.sweeps + 1), mass,
                               iteration.acceleration.omega()};
    rows_.sweep(0, update_, vectors, adder());
    return take_totals();
  }

  /// Returns the sum of the totals of all threads, which then are 0.
  Totals take_totals() {
    Totals sum;
    for (ThreadTotals& of_thread : totals_) sum.add(std::exchange(of_thread.totals, {}));
    return sum;
  }

  const PageRankVectors& vectors_;
  const PageRankOptions& options_;
  double* const scores_;
  const std::int64_t n_;
  const WeightSums weight_sums_;
  const Update update_;
  const SweptRows rows_;
  const std::array<HostArray<double>, 2> contributions_;  // after an even, an odd number of sweeps
  std::vector<ThreadTotals> totals_;
};

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

MemoryNeed need_of_pagerank(const CsrPattern& transposed) {
  return {"PageRank", pagerank::bytes_of_sweeps(transposed, 1), "use a smaller graph"};
}

template <class W>
PageRankResult pagerank_cpu(const CsrView<W>& transposed, const PageRankVectors& vectors,
                            const PageRankOptions& options, PageRankScores scores) {
  options.budget.require(need_of_pagerank(transposed));
  const std::int64_t size = std::int64_t{transposed.n_vertices} + transposed.n_arcs;
  const CallThreads threads = threads_for(pagerank::visits_ns * static_cast<double>(size));
  PageRankResult result;
  const auto run = [&] {
    result = pagerank::Sweeps(transposed, vectors, options, scores.items).run();
  };
  if (size < pagerank::max_work_to_spin) {
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
    result = {result.sweeps + 1, change, change < options.change_bound};
  }
  return result;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(sum_leaving_weights)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(pagerank_cpu)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(pagerank_reference)

}  // namespace warpgraph
