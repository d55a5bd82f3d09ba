#include "algorithms/betweenness/betweenness.hpp"
#include "algorithms/betweenness/distance_search.hpp"
#include "algorithms/betweenness/hop_search.hpp"
#include "algorithms/betweenness/scores.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "graph/transform/simple_rows.hpp"

#include <memory>
#include <string_view>

namespace warpgraph {
namespace betweenness {
namespace {

constexpr std::string_view advice_on_memory = "use fewer threads, or pass a smaller graph";

/// The vertices and arcs from which on threads share the searches of few sources.
constexpr edge_t least_shared_size = 1 << 15;

/// The arguments of a call, for a graph with simple rows.
template <class W>
struct Problem {
  CsrView<W> graph;
  W limit;
  const BetweennessOptions& options;
  PathEnds ends;
};

/// A search of one thread, or of all together, and its sums.
template <bool of_arcs, class Search>
struct Worker {
  Search search;
  Totals<of_arcs> totals;
  template <class Limit, class Graph>
  Worker(const Graph& graph, const PathEnds& ends, Limit limit, bool endpoints)
      : search(graph, ends, limit), totals(graph, endpoints) {}
};

template <bool of_arcs, class Search>
using Workers = std::vector<std::unique_ptr<Worker<of_arcs, Search>>>;

/// Calls take(i, sum) for the sums of each vertex or arc over all workers.
template <bool of_arcs, class Search, class Take>
void add_workers(std::int64_t n, const Workers<of_arcs, Search>& workers, const Take& take) {
  parallel_for(n, [&](std::int64_t i) {
    FixedPointSum sum{};
    for (const auto& worker : workers) {
      if (worker) sum.add(worker->totals[i]);
    }
    take(i, sum.value());
  });
}

/// Returns the number of threads that search, each from sources of its own.
template <bool of_arcs, class Search, class W>
int affordable_workers(const Problem<W>& problem) {
  const std::size_t per_thread =
      Search::bytes_needed(problem.graph) + Totals<of_arcs>::bytes_needed(problem.graph);
  const MemoryBudget budget(Device{}, problem.options.memory_limit);
  budget.require("betweenness centrality", per_thread, advice_on_memory);
  const auto most = std::min<std::size_t>(static_cast<std::size_t>(num_threads()),
                                          problem.options.sources.size());
  if (budget.has(most * per_thread)) return static_cast<int>(most);
  return static_cast<int>(std::clamp<std::size_t>(budget.available() / per_thread, 1, most));
}

/// Searches from each source by one thread.
template <bool of_arcs, class Search, class W, class Limit>
Workers<of_arcs, Search> search_apart(const Problem<W>& problem, Limit limit, int threads) {
  const BetweennessOptions& options = problem.options;
  const auto n_sources = std::ssize(options.sources);
  Workers<of_arcs, Search> workers(static_cast<std::size_t>(threads));
  parallel_tasks(n_sources, threads, n_sources, [&](const TaskContext& context, std::int64_t i) {
    auto& worker = workers[static_cast<std::size_t>(context.rank())];
    if (!worker) {
      worker = std::make_unique<Worker<of_arcs, Search>>(problem.graph, problem.ends, limit,
                                                         options.endpoints);
    }
    const auto keep_on = [&] { return context.keep_on(); };
    if (worker->search.run(options.sources[static_cast<std::size_t>(i)], worker->totals, keep_on)) {
      context.finish(1);
    }
  });
  return workers;
}

/// Searches from one source after the other by all threads.
template <bool of_arcs, class Search, class W>
Workers<of_arcs, Search> search_together(const Problem<W>& problem, vertex_t limit) {
  const BetweennessOptions& options = problem.options;
  Workers<of_arcs, Search> workers;
  workers.push_back(std::make_unique<Worker<of_arcs, Search>>(problem.graph, problem.ends, limit,
                                                              options.endpoints));
  const auto keep_on = [] {
    poll();
    return true;
  };
  with_spinning_pool([&] {
    for (std::int64_t i = 0; i < std::ssize(options.sources); ++i) {
      report_progress(i, std::ssize(options.sources));
      workers[0]->search.run(options.sources[static_cast<std::size_t>(i)], workers[0]->totals,
                             keep_on);
    }
  });
  return workers;
}

/// Adds up the dependencies of all sources, and passes the workers' sums to use(workers).
template <bool of_arcs, class W, class Use>
void search_all(const Problem<W>& problem, const Use& use) {
  if (problem.graph.weights != nullptr) {
    using Search = DistanceSearch<W, of_arcs>;
    const int threads = affordable_workers<of_arcs, Search>(problem);
    use(search_apart<of_arcs, Search>(problem, problem.limit, threads));
    return;
  }
  const auto hops = static_cast<vertex_t>(
      std::min<W>(problem.limit, static_cast<W>(std::max(problem.graph.n_vertices, 1))));
  using Search = HopSearch<false, of_arcs>;
  const int threads = affordable_workers<of_arcs, Search>(problem);
  const edge_t size = problem.graph.n_vertices + problem.graph.n_arcs;
  // With half as many searches as threads, or fewer, threads gain if they share each.
  if (2 * threads <= num_threads() && size >= least_shared_size) {
    use(search_together<of_arcs, HopSearch<true, of_arcs>>(problem, hops));
  } else {
    use(search_apart<of_arcs, Search>(problem, hops, threads));
  }
}

/// Calls run(problem) for a graph with simple rows.
template <class W, class Run>
void with_simple_rows(const CsrView<W>& graph, W limit, const BetweennessOptions& given,
                      const Run& run) {
  BetweennessOptions options = given;
  if (has_simple_rows(graph)) {
    run(Problem<W>{graph, limit, options, PathEnds(given.targets, graph.n_vertices)});
    return;
  }
  const Csr<W> simple = to_simple_rows(graph, given.memory_limit);
  const CsrView<W> view = simple_view(simple);
  const std::size_t weights = view.weights == nullptr ? 0 : sizeof(W);
  const std::size_t taken = static_cast<std::size_t>(view.n_arcs) * (sizeof(vertex_t) + weights) +
                            static_cast<std::size_t>(view.n_vertices) * sizeof(edge_t);
  options.memory_limit = left_of_limit(given.memory_limit, taken);
  run(Problem<W>{view, limit, options, PathEnds(given.targets, graph.n_vertices)});
}

}  // namespace
}  // namespace betweenness

template <class W>
void betweenness_cpu(const CsrView<W>& graph, W limit, const BetweennessOptions& options,
                     std::span<double> scores) {
  const betweenness::Scales scales(options, graph.n_vertices, options.endpoints);
  betweenness::with_simple_rows(graph, limit, options, [&](const auto& problem) {
    betweenness::search_all<false>(problem, [&](const auto& workers) {
      betweenness::add_workers(graph.n_vertices, workers, [&](std::int64_t v, double sum) {
        scores[static_cast<std::size_t>(v)] = scales.of(v) * sum;
      });
    });
  });
}

template <class W>
void edge_betweenness_cpu(const CsrView<W>& graph, const CsrView<W>& entries, W limit,
                          const BetweennessOptions& options, std::span<double> scores) {
  const double scale = betweenness::Scales(options, graph.n_vertices, true).of(0);
  betweenness::with_simple_rows(graph, limit, options, [&](const auto& problem) {
    const edge_t n_arcs = problem.graph.n_arcs;
    MemoryBudget(Device{}, problem.options.memory_limit)
        .require("the scores of edges", static_cast<std::size_t>(n_arcs) * sizeof(double),
                 betweenness::advice_on_memory);
    HostVector<double> of_arcs(static_cast<std::size_t>(n_arcs));
    betweenness::search_all<true>(problem, [&](const auto& workers) {
      betweenness::add_workers(n_arcs, workers, [&](std::int64_t e, double sum) {
        of_arcs[static_cast<std::size_t>(e)] = scale * sum;
      });
    });
    betweenness::score_entries<W>(problem.graph, entries, of_arcs, options.directed, scores);
  });
}

#define WARPGRAPH_INSTANTIATE(W)                     \
  WARPGRAPH_INSTANTIATE_FUNCTION(betweenness_cpu, W) \
  WARPGRAPH_INSTANTIATE_FUNCTION(edge_betweenness_cpu, W)
WARPGRAPH_INSTANTIATE(float)
WARPGRAPH_INSTANTIATE(double)
WARPGRAPH_INSTANTIATE(std::int64_t)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
