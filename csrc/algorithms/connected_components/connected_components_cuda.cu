#include "algorithms/connected_components/connected_components.hpp"
#include "core/containers/union_find.hpp"
#include "core/cuda/for_each.cuh"
#include "core/cuda/worklist.cuh"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/for_each_edge.cuh"
#include "primitives/boruvka/canonical_labels.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

/// Arcs of each vertex that the first pass unites along, as on the CPU.
constexpr edge_t sampled_arcs = 2;

__global__ void unite_sampled_arcs(CsrPattern graph, UnionFind sets) {
  const std::int64_t i = cuda::global_index();
  if (i >= graph.n_vertices) return;
  const auto u = static_cast<vertex_t>(i);
  const edge_t end = min(graph.end(u), graph.begin(u) + sampled_arcs);
  for (edge_t e = graph.begin(u); e < end; ++e) sets.unite(u, graph.heads[e]);
}

struct PointToRoot {
  UnionFind sets;
  __device__ void operator()(std::int64_t v) const { sets.point_to_root(static_cast<vertex_t>(v)); }
};

/// Unites the ends of an arc. Most have the same parent already.
struct UniteEnds {
  UnionFind sets;
  __device__ void operator()(vertex_t tail, vertex_t head, edge_t) const {
    if (relaxed_load(sets.parent[tail]) != relaxed_load(sets.parent[head])) sets.unite(tail, head);
  }
};

__global__ void gather_parents(UnionFind sets, std::int64_t n_samples, std::int64_t stride,
                               vertex_t* parents) {
  const std::int64_t i = cuda::global_index();
  if (i < n_samples) parents[i] = sets.parent[i * stride];
}

__global__ void list_outside_giant(vertex_t n_vertices, UnionFind sets, vertex_t root,
                                   cuda::WorklistView<vertex_t> outside) {
  const std::int64_t i = cuda::global_index();
  if (i < n_vertices && sets.parent[i] != root) outside.push(static_cast<vertex_t>(i));
}

/// Returns the root of a giant component, if there is one: the median of evenly spaced samples. A
/// component of more than half the vertices is found almost surely; a smaller one is not worth it.
vertex_t frequent_root(vertex_t n_vertices, UnionFind sets, const cuda::Stream& stream) {
  constexpr std::int64_t max_samples = 1024;
  const std::int64_t stride = std::max<std::int64_t>(1, n_vertices / max_samples);
  const std::int64_t n = (n_vertices + stride - 1) / stride;
  const cuda::DeviceBuffer<vertex_t> gathered(static_cast<std::size_t>(n), stream);
  cuda::launch_for(stream, n, gather_parents, sets, n, stride, gathered.data());
  auto roots = cuda::to_host<std::vector<vertex_t>>(gathered.data(), gathered.size(), stream);
  const auto middle = roots.begin() + std::ssize(roots) / 2;
  std::nth_element(roots.begin(), middle, roots.end());
  return *middle;
}

/// In a symmetric graph, arcs that leave the giant component are found from their other ends, so
/// its rows, which are most of the graph, are not read.
void unite_arcs_outside_giant(const CsrPattern& graph, UnionFind sets, const cuda::Stream& stream) {
  const vertex_t giant = frequent_root(graph.n_vertices, sets, stream);
  cuda::Worklist<vertex_t> outside(graph.n_vertices, stream);
  cuda::launch_for(stream, graph.n_vertices, list_outside_giant, graph.n_vertices, sets, giant,
                   outside.view());
  const cuda::VertexList list{outside.data(), outside.size(stream)};
  cuda::for_each_edge(stream, graph, list, cuda::mapping_for(graph), UniteEnds{sets});
}

}  // namespace

vertex_t connected_components_cuda(const CsrPattern& graph, bool symmetric,
                                   std::span<vertex_t> labels, std::size_t memory_limit,
                                   const cuda::Stream& stream) {
  if (labels.empty()) return 0;
  // Parents, and then the outside vertices with their edge-mapping scan, or the numbering.
  MemoryBudget(stream.device(), memory_limit)
      .require("labelling components", 4 * numbering_bytes(graph.n_vertices),
               "use device=\"cpu\", or clear() graphs that are no longer needed");
  const cuda::DeviceBuffer<vertex_t> parents(labels.size(), stream);
  const UnionFind sets{parents.data()};
  cuda::iota(parents.data(), graph.n_vertices, stream);
  cuda::launch_for(stream, graph.n_vertices, unite_sampled_arcs, graph, sets);
  cuda::for_each(stream, graph.n_vertices, PointToRoot{sets});
  poll();
  if (symmetric) {
    unite_arcs_outside_giant(graph, sets, stream);
  } else {
    cuda::for_each_edge(stream, graph, cuda::AllVertices{graph.n_vertices},
                        cuda::mapping_for(graph), UniteEnds{sets});
  }
  cuda::for_each(stream, graph.n_vertices, PointToRoot{sets});
  const vertex_t n_components = number_components_cuda(parents.data(), graph.n_vertices, stream);
  cuda::copy(labels.data(), parents.data(), labels.size(), stream);
  stream.synchronize();
  return n_components;
}

}  // namespace warpgraph
