#include "algorithms/connected_components/canonical_labels.hpp"
#include "algorithms/connected_components/connected_components.hpp"
#include "core/containers/union_find.hpp"
#include "core/cuda/worklist.cuh"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/for_each_edge.cuh"

#include <algorithm>

namespace warpgraph {
namespace {

/// Arcs of each vertex that the first pass joins along, as on the CPU.
constexpr edge_t sampled_arcs = 2;

__global__ void join_along_sampled_arcs(CsrPattern graph, UnionFind sets) {
  const std::int64_t i = cuda::global_index();
  if (i >= graph.n_vertices) return;
  const auto u = static_cast<vertex_t>(i);
  const edge_t end = min(graph.end(u), graph.begin(u) + sampled_arcs);
  for (edge_t e = graph.begin(u); e < end; ++e) sets.unite(u, graph.heads[e]);
}

/// Hangs every vertex directly below its root. Who walks past a vertex meanwhile finds its old
/// parent or its root; both lead to the root.
__global__ void flatten(vertex_t n_vertices, UnionFind sets) {
  const std::int64_t i = cuda::global_index();
  if (i >= n_vertices) return;
  relaxed_store(sets.parent[i], sets.root(static_cast<vertex_t>(i)));
}

/// Joins the ends of an arc. Most have the same parent by now.
struct Join {
  UnionFind sets;
  __device__ void operator()(vertex_t tail, vertex_t head, edge_t) const {
    if (relaxed_load(sets.parent[tail]) != relaxed_load(sets.parent[head])) sets.unite(tail, head);
  }
};

__global__ void gather_parents(UnionFind sets, std::int64_t n_samples, std::int64_t step,
                               vertex_t* parents) {
  const std::int64_t i = cuda::global_index();
  if (i < n_samples) parents[i] = sets.parent[i * step];
}

__global__ void list_others(vertex_t n_vertices, UnionFind sets, vertex_t root,
                            cuda::WorklistView<vertex_t> others) {
  const std::int64_t i = cuda::global_index();
  if (i < n_vertices && sets.parent[i] != root) others.push(static_cast<vertex_t>(i));
}

/// A root that many vertices have, if there is one: the middle one of some in order. A component
/// of more than half the vertices is hit for sure, in effect; a smaller one is not worth it.
vertex_t frequent_root(vertex_t n_vertices, UnionFind sets, const cuda::Stream& stream) {
  constexpr std::int64_t most_samples = 1024;
  const std::int64_t step = std::max<std::int64_t>(1, n_vertices / most_samples);
  std::vector<vertex_t> roots(static_cast<std::size_t>((n_vertices + step - 1) / step));
  const cuda::DeviceBuffer<vertex_t> gathered(roots.size(), stream);
  cuda::launch_for(stream, std::ssize(roots), gather_parents, sets, std::ssize(roots), step,
                   gathered.data());
  cuda::copy(roots.data(), gathered.data(), roots.size(), stream);
  stream.synchronize();
  const auto middle = roots.begin() + std::ssize(roots) / 2;
  std::nth_element(roots.begin(), middle, roots.end());
  return *middle;
}

/// Mirrored arcs out of a giant component are found from their other ends, so its rows, most of
/// the graph, stay unread.
void join_along_arcs_of_others(const CsrPattern& graph, UnionFind sets,
                               const cuda::Stream& stream) {
  const vertex_t giant = frequent_root(graph.n_vertices, sets, stream);
  cuda::Worklist<vertex_t> others(graph.n_vertices, stream);
  cuda::launch_for(stream, graph.n_vertices, list_others, graph.n_vertices, sets, giant,
                   others.view());
  const cuda::VertexList list{others.data(), others.size(stream)};
  cuda::for_each_edge(stream, graph, list, cuda::mapping_for(graph), Join{sets});
}

}  // namespace

vertex_t connected_components_cuda(const CsrPattern& graph, bool mirrored,
                                   std::span<vertex_t> labels, std::size_t memory_limit,
                                   const cuda::Stream& stream) {
  if (labels.empty()) return 0;
  // Parents, and the others with their laid out rows or the numbering.
  MemoryBudget(stream.device(), memory_limit)
      .require("labelling components", 4 * numbering_bytes(graph.n_vertices),
               "use device=\"cpu\", or clear() graphs that are no longer needed");
  const cuda::DeviceBuffer<vertex_t> parents(labels.size(), stream);
  const UnionFind sets{parents.data()};
  cuda::iota(parents.data(), graph.n_vertices, stream);
  cuda::launch_for(stream, graph.n_vertices, join_along_sampled_arcs, graph, sets);
  cuda::launch_for(stream, graph.n_vertices, flatten, graph.n_vertices, sets);
  poll();
  if (mirrored) {
    join_along_arcs_of_others(graph, sets, stream);
  } else {
    cuda::for_each_edge(stream, graph, cuda::AllVertices{graph.n_vertices},
                        cuda::mapping_for(graph), Join{sets});
  }
  cuda::launch_for(stream, graph.n_vertices, flatten, graph.n_vertices, sets);
  const vertex_t n_components = number_components_cuda(parents.data(), graph.n_vertices, stream);
  cuda::copy(labels.data(), parents.data(), labels.size(), stream);
  stream.synchronize();
  return n_components;
}

}  // namespace warpgraph
