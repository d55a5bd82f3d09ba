#include "algorithms/sssp/searches.hpp"
#include "core/containers/heap.hpp"
#include "core/interrupt.hpp"
#include "primitives/search/dijkstra_search.hpp"

namespace warpgraph::shortest_paths {

template <class W>
void dijkstra(const CsrView<W>& graph, std::span<const vertex_t> sources,
              const SsspOptions<W>& options, std::span<W> distances) {
  RadixHeap<W> heap(graph.n_vertices);
  auto report = [&, settled = std::int64_t{0}](vertex_t) mutable {
    if (settled++ % vertices_between_polls == 0) report_progress(settled, graph.n_vertices);
    return true;
  };
  for (const vertex_t source : sources) heap.push(source, W{0}, distances.data());
  search_from_heap<W>(graph, {options.limit, options.targets}, heap, distances.data(), report,
                      [](vertex_t) {});
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(dijkstra)

}  // namespace warpgraph::shortest_paths
