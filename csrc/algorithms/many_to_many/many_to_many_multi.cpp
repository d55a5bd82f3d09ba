#include "algorithms/many_to_many/many_to_many.hpp"
#include "core/containers/at.hpp"
#include "core/error.hpp"
#include "runtime/worklist/deal.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

/// The sources that keep a GPU busy: batches of 32 of which up to 64 are searched at once, and as
/// many heaps.
constexpr std::int64_t sources_of_a_gpu = 2048;
/// The sources of a wide batch: the bits of its sets.
constexpr std::int64_t sources_of_a_wide_batch = 256;
/// The sources of a block for which a thread of the host makes an order of the vertices and groups
/// of sources, before its batches: that takes as long as several searches. Beside a GPU, which may
/// be a hundred times as fast, a thread takes four batches all the same.
constexpr std::int64_t sources_worth_an_order = 512;
constexpr std::int64_t sources_beside_a_gpu = 64;

std::int64_t smallest_block(ManyToManyMethod method, Device device, bool has_gpu) {
  if (method == ManyToManyMethod::breadth_first) return sources_of_a_wide_batch;
  if (device.is_cuda()) return sources_of_a_gpu;
  if (method == ManyToManyMethod::dijkstra || method == ManyToManyMethod::johnson) return 1;
  return has_gpu ? sources_beside_a_gpu : sources_worth_an_order;
}

template <class W>
ManyToManyResult<W> rows_from(std::int64_t first, ManyToManyResult<W> result, vertex_t n_vertices) {
  result.distances = result.distances_of(first);
  if (result.predecessors != nullptr) {
    result.predecessors = result.predecessors_of(first, n_vertices).data();
  }
  return result;
}

}  // namespace

template <class W>
void many_to_many_multi(const std::vector<Device>& devices, const CsrPattern& graph,
                        std::span<const vertex_t> sources, const ManyToManyOptions<W>& options,
                        const ManyToManyResult<W>& result, const RowsSearch<W>& search) {
  if (devices.size() == 1) return search(devices[0], sources, options, result);
  EXPECTS(!result.on_device, "the result of several devices must be in host memory");
  const bool has_gpu =
      std::any_of(devices.begin(), devices.end(), [](Device device) { return device.is_cuda(); });
  const runtime::DealOptions how{options.budget, [&](Device device) {
                                   return smallest_block(options.method, device, has_gpu);
                                 }};
  runtime::deal(devices, std::ssize(sources), how,
                [&](Device device, runtime::Block block, MemoryBudget budget) {
                  ManyToManyOptions<W> mine = options;
                  mine.budget = budget;
                  search(device, sources.subspan(at(block.first), at(block.size)), mine,
                         rows_from(block.first, result, graph.n_vertices));
                });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(many_to_many_multi)

}  // namespace warpgraph
