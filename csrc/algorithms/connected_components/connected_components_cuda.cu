#include "algorithms/connected_components/afforest/afforest.cuh"
#include "algorithms/connected_components/connected_components.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/launch.cuh"
#include "core/memory/memory_budget.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

__global__ void __launch_bounds__(afforest::block_threads, afforest::blocks_per_multiprocessor)
    find_components(afforest::View view) {
  __shared__ afforest::Memory memory;
  afforest::Components<afforest::Extent::whole>(view, memory).run();
}

/// Returns the blocks of the grid, at most one per tile: more would only compete for the same
/// parents.
std::int64_t blocks_for(vertex_t n_vertices, const cuda::Stream& stream) {
  const std::int64_t useful =
      (std::int64_t{n_vertices} + afforest::tile_vertices - 1) / afforest::tile_vertices;
  return std::min(useful,
                  cuda::resident_blocks(stream, find_components, afforest::block_threads, 0));
}

/// Places the arrays besides the labels, and the labels unless there is an array for them.
afforest::View take_arrays(const CsrPattern& graph, std::int64_t blocks, vertex_t* labels,
                           cuda::BumpAllocator& memory) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  afforest::View view = afforest::take_search_arrays(graph, blocks, memory);
  view.labels = labels != nullptr ? labels : memory.take<vertex_t>(n);
  return view;
}

}  // namespace

vertex_t connected_components_cuda(const CsrPattern& graph, bool symmetric, vertex_t hub,
                                   const ComponentLabels& labels, MemoryBudget budget,
                                   const cuda::Stream& stream) {
  if (labels.items.empty()) return 0;
  vertex_t* const array = labels.on_device ? labels.items.data() : nullptr;
  const std::int64_t blocks = blocks_for(graph.n_vertices, stream);
  cuda::BumpAllocator sizes;
  take_arrays(graph, blocks, array, sizes);
  budget.on(stream.device())
      .require("labelling components", sizes.bytes(),
               "use device=\"cpu\", or clear() graphs that are no longer needed");
  const cuda::DeviceBuffer<std::byte> memory(sizes.bytes(), stream);
  cuda::BumpAllocator arrays(memory.data());
  afforest::View view = take_arrays(graph, blocks, array, arrays);
  view.symmetric = symmetric;
  view.hub = hub;
  // The kernel writes the number to host memory: a copy would take as long as two of its steps.
  const cuda::PinnedBuffer<vertex_t> n_components(1);
  view.n_components = n_components.data();
  cuda::launch_cooperative(stream, blocks, afforest::block_threads, 0, find_components, view);
  if (labels.on_device) {
    stream.synchronize();
  } else {
    cuda::copy_out(labels.items.data(), view.labels, labels.items.size(), stream);
  }
  return *n_components.data();
}

}  // namespace warpgraph
