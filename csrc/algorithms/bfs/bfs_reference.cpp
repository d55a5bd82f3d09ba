#include "algorithms/bfs/bfs.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph {
namespace {

/// Makes the vertices that are farther than all targets unreached.
void forget_beyond(std::span<const vertex_t> targets, std::span<vertex_t> hops) {
  vertex_t farthest = 0;
  for (const vertex_t target : targets) {
    const vertex_t of_target = hops[static_cast<std::size_t>(target)];
    if (of_target == -1) return;
    farthest = std::max(farthest, of_target);
  }
  for (vertex_t& found : hops) found = found > farthest ? -1 : found;
}

}  // namespace

void bfs_reference(const CsrPattern& graph, const BfsOptions& options, std::span<vertex_t> hops,
                   std::span<vertex_t> predecessors) {
  std::fill(hops.begin(), hops.end(), -1);
  std::vector<vertex_t> queue{options.source};
  hops[static_cast<std::size_t>(options.source)] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const vertex_t u = queue[i];
    const vertex_t depth = hops[static_cast<std::size_t>(u)];
    if (depth == options.limit) break;
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      vertex_t& seen = hops[static_cast<std::size_t>(graph.heads[e])];
      if (seen != -1) continue;
      seen = depth + 1;
      queue.push_back(graph.heads[e]);
    }
  }
  if (!options.targets.empty()) forget_beyond(options.targets, hops);
  if (predecessors.empty()) return;
  // Tails come in increasing order, so that the first arc from the previous level has the smallest
  // tail.
  std::fill(predecessors.begin(), predecessors.end(), no_vertex);
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    const vertex_t depth = hops[static_cast<std::size_t>(u)];
    for (edge_t e = graph.begin(u); depth >= 0 && e < graph.end(u); ++e) {
      const auto v = static_cast<std::size_t>(graph.heads[e]);
      if (hops[v] == depth + 1 && predecessors[v] == no_vertex) predecessors[v] = u;
    }
  }
}

}  // namespace warpgraph
