#include "core/cuda/cub/scan.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "primitives/boruvka/canonical_labels.hpp"

namespace warpgraph {
namespace {

/// Marks the smallest vertex of each component. `number` has n_vertices + 1 entries: the last one
/// of its scan is the number of components.
__global__ void mark_smallest(const vertex_t* labels, vertex_t n_vertices, vertex_t* number) {
  const std::int64_t v = cuda::global_index();
  if (v <= n_vertices) number[v] = v < n_vertices && labels[v] == v ? 1 : 0;
}

__global__ void write_numbers(const vertex_t* number, vertex_t n_vertices, vertex_t* labels) {
  const std::int64_t v = cuda::global_index();
  if (v < n_vertices) labels[v] = number[labels[v]];
}

}  // namespace

vertex_t number_components_cuda(vertex_t* labels, vertex_t n_vertices, const cuda::Stream& stream) {
  const std::int64_t n = static_cast<std::int64_t>(n_vertices) + 1;
  const cuda::DeviceBuffer<vertex_t> number(static_cast<std::size_t>(n), stream);
  cuda::launch_for(stream, n, mark_smallest, labels, n_vertices, number.data());
  cuda::exclusive_sum(number.data(), n, stream);
  cuda::launch_for(stream, n_vertices, write_numbers, number.data(), n_vertices, labels);
  return cuda::read_back(number.data() + n_vertices, stream);
}

}  // namespace warpgraph
