#include "algorithms/sssp/delta_stepping/parallel_bucket_search.hpp"
#include "algorithms/sssp/searches.hpp"

namespace warpgraph::shortest_paths {

template <class W>
bool delta_stepping(const CsrView<W>& graph, std::span<const vertex_t> sources,
                    const SsspOptions<W>& options, std::span<W> distances) {
  const int threads = threads_for(graph.n_arcs);
  const double width = bucket_width(graph, threads);
  return search_by_buckets<Bins>(graph, sources, options, width, threads, distances);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(delta_stepping)

}  // namespace warpgraph::shortest_paths
