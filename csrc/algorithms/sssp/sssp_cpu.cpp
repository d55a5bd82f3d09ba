#include "algorithms/sssp/searches.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/path_trees/predecessors.hpp"
#include "primitives/relaxation/overflow.hpp"
#include "primitives/relaxation/relax.hpp"
#include "primitives/search/bucket_search.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

using namespace shortest_paths;

/// Returns the bytes of the state of the search.
template <class W>
std::size_t search_bytes(const CsrPattern& graph, const SsspSettings& options) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  switch (options.method) {
    case SsspMethod::dijkstra:
      return RadixHeap<W>::bytes_needed(graph.n_vertices, static_cast<std::size_t>(graph.n_arcs));
    case SsspMethod::delta_stepping:
      return min_list_bytes<W>(graph.n_vertices, graph.n_arcs);
    case SsspMethod::near_far:
    case SsspMethod::bellman_ford:
      break;
  }
  // A mark, and two lists that grow by doubling.
  return n * (6 * sizeof(vertex_t) + (options.negative_weights ? 8 * sizeof(vertex_t) : 0));
}

/// Searches. Returns false if an integer sum may have saturated.
template <class W>
bool search(const CsrView<W>& graph, std::span<const vertex_t> sources,
            const SsspOptions<W>& options, std::span<W> distances) {
  parallel_for(graph.n_vertices,
               [&](std::int64_t v) { distances[static_cast<std::size_t>(v)] = infinity<W>(); });
  for (const vertex_t source : sources) distances[static_cast<std::size_t>(source)] = W{0};
  switch (options.method) {
    case SsspMethod::dijkstra:
      dijkstra(graph, sources, options, distances);
      break;
    case SsspMethod::delta_stepping:
      return delta_stepping(graph, sources, options, distances);
    case SsspMethod::near_far:
      throw std::invalid_argument("near_far runs on CUDA devices");
    case SsspMethod::bellman_ford:
      bellman_ford(graph, sources, options, distances);
      break;
  }
  return std::is_floating_point_v<W> && !options.negative_weights;
}

}  // namespace

template <class W>
void shortest_paths::complete(const CsrView<W>& graph, std::span<const vertex_t> sources,
                              const SsspOptions<W>& options, bool fits_all, SsspResult<W> result) {
  const std::span<const W> distances = result.distances;
  const W wanted = farthest_wanted(options.limit, options.targets, [&](vertex_t v) {
    return distances[static_cast<std::size_t>(v)];
  });
  const bool searched_all = options.negative_weights || wanted == infinity<W>();
  if (searched_all && !fits_all) check_overflow(graph, distances);
  if (!options.negative_weights) set_infinite_beyond(wanted, result.distances);
  if (!result.predecessors.empty()) {
    recover_predecessors(graph, sources, options.negative_weights, distances, result.predecessors);
  }
  if (options.negative_weights) set_infinite_beyond(options.limit, result.distances);
  report_progress(graph.n_vertices, graph.n_vertices);
}

template <class W>
MemoryNeed need_of_sssp(const CsrPattern& graph, std::size_t n_sources, const SsspSettings& options,
                        bool predecessors) {
  const std::size_t recovery = predecessors ? shortest_paths::recovery_bytes(graph.n_vertices) : 0;
  return {"finding shortest paths",
          bytes_of_results<W>(graph.n_vertices, predecessors) +
              std::max(search_bytes<W>(graph, options), recovery) +
              (n_sources - 1) * sizeof(Lowered<W>),
          predecessors ? "ask for a narrower dtype or leave out the predecessors"
                       : "ask for a narrower dtype, or use a smaller graph"};
}

template <class W>
void multi_source_sssp_cpu(const CsrView<W>& graph, std::span<const vertex_t> sources,
                           const SsspOptions<W>& options, SsspResult<W> result) {
  SsspOptions<W> search_options = options;
  const bool predecessors = !result.predecessors.empty();
  options.budget.require(need_of_sssp<W>(graph, sources.size(), options, predecessors));
  search_options.budget = options.budget.after(bytes_of_results<W>(graph.n_vertices, predecessors));
  const bool fits_all = search(graph, sources, search_options, result.distances);
  complete(graph, sources, options, fits_all, result);
}

template <class W>
void sssp_cpu(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
              SsspResult<W> result) {
  multi_source_sssp_cpu(graph, {&source, 1}, options, result);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(shortest_paths::complete)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(need_of_sssp)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(multi_source_sssp_cpu)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(sssp_cpu)

}  // namespace warpgraph
