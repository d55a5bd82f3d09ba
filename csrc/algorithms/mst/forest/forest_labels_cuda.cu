#include "algorithms/mst/forest/device_forest.hpp"
#include "core/containers/union_find.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/launch.cuh"
#include "core/memory/memory_budget.hpp"
#include "primitives/boruvka/canonical_labels.hpp"

namespace warpgraph {
namespace {

__global__ void unite_ends(UnionFind sets, const vertex_t* ends, std::int64_t n_edges) {
  const std::int64_t i = cuda::global_index();
  if (i < n_edges) sets.unite(ends[2 * i], ends[2 * i + 1]);
}

__global__ void point_all_to_roots(UnionFind sets, std::int64_t n_vertices) {
  const std::int64_t v = cuda::global_index();
  if (v < n_vertices) sets.point_to_root(static_cast<vertex_t>(v));
}

}  // namespace

void forest_labels_cuda(std::span<const vertex_t> ends, std::span<vertex_t> labels,
                        const cuda::Stream& stream) {
  MemoryBudget(stream.device())
      .require("labelling the trees of a forest", 2 * labels.size_bytes(),
               "clear() graphs that are no longer needed");
  const std::int64_t n_vertices = std::ssize(labels);
  const std::int64_t n_edges = std::ssize(ends) / 2;
  const cuda::DeviceBuffer<vertex_t> parents(labels.size(), stream);
  const UnionFind sets{parents.data()};
  const cuda::MapWhileWaiting pages(labels);
  cuda::iota(parents.data(), n_vertices, stream);
  cuda::launch_for(stream, n_edges, unite_ends, sets, ends.data(), n_edges);
  cuda::launch_for(stream, n_vertices, point_all_to_roots, sets, n_vertices);
  number_components_cuda(parents.data(), static_cast<vertex_t>(n_vertices), stream);
  cuda::copy_out(labels.data(), parents.data(), labels.size(), stream);
}

}  // namespace warpgraph
