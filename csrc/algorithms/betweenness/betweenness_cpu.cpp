#include "algorithms/betweenness/betweenness.hpp"
#include "algorithms/betweenness/distance_search.hpp"
#include "algorithms/betweenness/hop_search.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

#include <memory>

namespace warpgraph {
namespace betweenness {
namespace {

/// The least number of vertices and arcs for which all threads share each of few searches.
constexpr edge_t least_shared_size = 1 << 15;

/// The arguments of a call, for a graph with simple rows.
template <class W>
struct Problem {
  CsrView<W> graph;
  FunctionRef<bool()> is_mirrored;
  W limit;
  const BetweennessOptions& options;
  PathEnds ends;
};

/// A search of one thread, or of all together, and its sums.
template <bool of_arcs, class Search>
struct Worker {
  Search search;
  Totals<of_arcs> totals;
  template <class Graph, class... How>
  Worker(const Graph& graph, bool endpoints, const PathEnds& ends, How... how)
      : search(graph, ends, how...), totals(graph, endpoints) {}
};

template <bool of_arcs, class Search>
using Workers = std::vector<std::unique_ptr<Worker<of_arcs, Search>>>;

/// Returns the sums of all workers.
template <bool of_arcs, class Search>
DependencySums sums_of(std::size_t n, const Workers<of_arcs, Search>& workers) {
  DependencySums sums(n);
  parallel_for(std::ssize(sums), [&](std::int64_t i) {
    FixedPointSum sum{};
    for (const auto& worker : workers) {
      if (worker) sum.add(worker->totals[i]);
    }
    sums[static_cast<std::size_t>(i)] = sum;
  });
  return sums;
}

/// Returns the need of one thread that searches, and of the sums of all.
template <bool of_arcs, class Search>
MemoryNeed need_of_search(const CsrPattern& graph) {
  return {"betweenness centrality",
          Search::bytes_needed(graph) + 2 * Totals<of_arcs>::bytes_needed(graph),
          "use fewer threads, or pass a smaller graph"};
}

/// Returns the number of threads that search, each from sources of its own: as many as the memory
/// allows.
template <bool of_arcs, class Search, class W>
int affordable_workers(const Problem<W>& problem) {
  const MemoryNeed need = need_of_search<of_arcs, Search>(problem.graph);
  const std::size_t sums = Totals<of_arcs>::bytes_needed(problem.graph);
  const std::size_t per_thread = need.bytes - sums;
  const MemoryBudget budget = problem.options.budget;
  budget.require(need);
  const auto most = std::min<std::size_t>(static_cast<std::size_t>(num_threads()),
                                          problem.options.sources.size());
  if (budget.has(most * per_thread + sums)) return static_cast<int>(most);
  const std::size_t threads = (budget.available() - sums) / per_thread;
  return static_cast<int>(std::clamp<std::size_t>(threads, 1, most));
}

/// Searches from each source by one thread. `how` are further arguments of a search.
template <bool of_arcs, class Search, class W, class... How>
Workers<of_arcs, Search> search_apart(const Problem<W>& problem, int threads, How... how) {
  const BetweennessOptions& options = problem.options;
  const auto n_sources = std::ssize(options.sources);
  Workers<of_arcs, Search> workers(static_cast<std::size_t>(threads));
  parallel_tasks(n_sources, threads, n_sources, [&](const TaskContext& context, std::int64_t i) {
    auto& worker = workers[static_cast<std::size_t>(context.rank())];
    if (!worker) {
      worker = std::make_unique<Worker<of_arcs, Search>>(problem.graph, options.endpoints,
                                                         problem.ends, how...);
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
  workers.push_back(std::make_unique<Worker<of_arcs, Search>>(problem.graph, options.endpoints,
                                                              problem.ends, limit, false));
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

/// Returns the sums of the dependencies of all sources.
template <bool of_arcs, class W>
DependencySums search_all(const Problem<W>& problem) {
  const CsrView<W>& graph = problem.graph;
  const auto n = static_cast<std::size_t>(of_arcs ? graph.n_arcs : edge_t{graph.n_vertices});
  if (graph.weights != nullptr) {
    using Search = DistanceSearch<W, of_arcs>;
    const int threads = affordable_workers<of_arcs, Search>(problem);
    return sums_of(n, search_apart<of_arcs, Search>(problem, threads, problem.limit));
  }
  const auto hops = static_cast<vertex_t>(
      std::min<W>(problem.limit, static_cast<W>(std::max(graph.n_vertices, 1))));
  using Search = HopSearch<false, of_arcs>;
  const int threads = affordable_workers<of_arcs, Search>(problem);
  const edge_t size = graph.n_vertices + graph.n_arcs;
  // With half as many searches as threads, or fewer, threads gain if they share each.
  if (2 * threads <= num_threads() && size >= least_shared_size) {
    return sums_of(n, search_together<of_arcs, HopSearch<true, of_arcs>>(problem, hops));
  }
  // On roads and meshes, levels are small beside the rest of the graph until the end, so that a
  // level seldom leaves so few arcs that pulling pays.
  const bool may_pull = !graph.has_low_degree() && problem.is_mirrored();
  return sums_of(n, search_apart<of_arcs, Search>(problem, threads, hops, may_pull));
}

}  // namespace
}  // namespace betweenness

template <class W>
MemoryNeed need_of_dependencies(const CsrPattern& graph, bool is_weighted, bool of_arcs) {
  using namespace betweenness;
  const auto need = [&]<bool arcs>(std::bool_constant<arcs>) {
    return is_weighted ? need_of_search<arcs, DistanceSearch<W, arcs>>(graph)
                       : need_of_search<arcs, HopSearch<false, arcs>>(graph);
  };
  return of_arcs ? need(std::true_type{}) : need(std::false_type{});
}

template <class W>
DependencySums dependencies_cpu(const SimpleGraph<W>& simple, W limit,
                                const BetweennessOptions& options) {
  const betweenness::Problem<W> problem{
      simple.host, simple.is_mirrored, limit, options,
      betweenness::PathEnds(options.targets, simple.host.n_vertices)};
  return options.of_arcs ? betweenness::search_all<true>(problem)
                         : betweenness::search_all<false>(problem);
}

#define WARPGRAPH_INSTANTIATE(W)                          \
  WARPGRAPH_INSTANTIATE_FUNCTION(need_of_dependencies, W) \
  WARPGRAPH_INSTANTIATE_FUNCTION(dependencies_cpu, W)
WARPGRAPH_INSTANTIATE(float)
WARPGRAPH_INSTANTIATE(double)
WARPGRAPH_INSTANTIATE(std::int64_t)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
