// Breadth-first search by several workers. Where there are few levels, CUDA devices search level by
// level: bfs_multi.cu. Else it is the workers' search for shortest paths, with arcs of length 1: a
// worker takes many hops on its own vertices between two exchanges, so there are fewer of these
// than levels.
#include "algorithms/bfs/bfs.hpp"
#include "algorithms/bfs/hop_predecessors.hpp"
#include "algorithms/sssp/sssp.hpp"

namespace warpgraph {

void lengths_to_hops(std::span<vertex_t> lengths) {
  parallel_for(
      std::ssize(lengths),
      [&](std::int64_t v) {
        vertex_t& found = lengths[static_cast<std::size_t>(v)];
        if (found == infinity<vertex_t>()) found = unreached;
      },
      light_grain);
}

MemoryNeed need_of_bfs_on_workers(const CsrPattern& graph, std::size_t n_workers) {
  MemoryNeed need = need_of_sssp_on_workers<vertex_t>(graph, n_workers, false);
  need.bytes -= static_cast<std::size_t>(graph.n_vertices) * sizeof(vertex_t);  // the hops
  return need;
}

void bfs_multi(const CsrPattern& graph, const std::vector<Device>& devices,
               const BfsOptions& options, std::span<vertex_t> hops,
               std::span<vertex_t> predecessors) {
#if defined(WARPGRAPH_HAS_CUDA)
  if (options.by_levels) return bfs_on_devices(graph, options, hops, predecessors);
#endif
  SsspOptions<vertex_t> search;
  search.limit = options.limit;
  search.targets = options.targets;
  search.parts = options.parts;
  if (devices.front().is_cuda()) search.method = SsspMethod::near_far;
  search.budget = options.budget.before(hops.size_bytes());
  sssp_multi(CsrView<vertex_t>{graph}, options.source, devices, search, {hops, {}});
  complete_hops(graph, options.symmetric, hops, predecessors);
}

}  // namespace warpgraph
