#include "algorithms/sssp/searches.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/path_trees/predecessors.hpp"
#include "primitives/relaxation/overflow.hpp"
#include "primitives/relaxation/relax.hpp"

namespace warpgraph {
namespace {

using namespace shortest_paths;

/// Bytes a vertex of the searches' own state. What waits in bins and piles, and in Bellman-Ford's
/// lists, depends on the weights; the estimates are a quarter more, at least, than power-law
/// graphs and cliques were seen to need. Roads need hardly any.
template <class W>
std::size_t search_bytes_per_vertex(const SsspOptions<W>& options) {
  switch (options.method) {
    case SsspMethod::dijkstra:
      // Stars need most: all vertices wait at once, in lists that double, and move to others.
      return 48;
    case SsspMethod::delta_stepping:
    case SsspMethod::near_far:
      return 8 * sizeof(W);
    case SsspMethod::bellman_ford:
      break;
  }
  return 4 * sizeof(vertex_t) + (options.negative_weights ? 8 * sizeof(vertex_t) : 0);
}

template <class W>
void require_memory(vertex_t n_vertices, const SsspOptions<W>& options, bool predecessors) {
  const std::size_t recovery = predecessors ? 3 * sizeof(vertex_t) : 0;
  const std::size_t results = sizeof(W) + (predecessors ? sizeof(vertex_t) : 0);
  const std::size_t per_vertex = results + std::max(search_bytes_per_vertex(options), recovery);
  MemoryBudget(Device{}, options.memory_limit)
      .require("finding shortest paths", static_cast<std::size_t>(n_vertices) * per_vertex,
               "ask for a narrower dtype or leave out the predecessors");
}

/// False if sums of integers may have stuck.
template <class W>
bool search(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
            std::span<W> distances) {
  parallel_for(graph.n_vertices,
               [&](std::int64_t v) { distances[static_cast<std::size_t>(v)] = infinity<W>(); });
  distances[static_cast<std::size_t>(source)] = W{0};
  switch (options.method) {
    case SsspMethod::dijkstra:
      dijkstra(graph, source, options, distances);
      break;
    case SsspMethod::delta_stepping:
      return delta_stepping(graph, source, options, distances);
    case SsspMethod::near_far:
      return near_far(graph, source, options, distances);
    case SsspMethod::bellman_ford:
      bellman_ford(graph, source, options, distances);
      break;
  }
  return std::is_floating_point_v<W> && !options.negative_weights;
}

}  // namespace

template <class W>
void sssp_cpu(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
              SsspResult<W> result) {
  const bool wants_tree = !result.predecessors.empty();
  require_memory(graph.n_vertices, options, wants_tree);
  const bool fits_all = search(graph, source, options, result.distances);

  const std::span<const W> distances = result.distances;
  const W wanted =
      farthest_wanted(options, [&](vertex_t v) { return distances[static_cast<std::size_t>(v)]; });
  const bool searched_all = options.negative_weights || wanted == infinity<W>();
  if (searched_all && !fits_all) check_overflow(graph, distances);
  if (!options.negative_weights) forget_beyond(wanted, result.distances);
  if (wants_tree) {
    recover_predecessors(graph, source, options.negative_weights, distances, result.predecessors);
  }
  if (options.negative_weights) forget_beyond(options.limit, result.distances);
  report_progress(graph.n_vertices, graph.n_vertices);
}

#define WARPGRAPH_INSTANTIATE(W) \
  template void sssp_cpu<W>(const CsrView<W>&, vertex_t, const SsspOptions<W>&, SsspResult<W>);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
