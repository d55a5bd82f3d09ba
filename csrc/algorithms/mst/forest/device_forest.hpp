// Forests that stay on the device that has found them.
#pragma once

#include "algorithms/mst/forest/forest_summary.hpp"
#include "algorithms/mst/mst.hpp"
#include "core/cuda/memory/buffer.hpp"

#include <variant>

namespace warpgraph {

/// A SpanningForest in the memory of a device, which may outlive the call.
template <class W>
struct DeviceForest {
  cuda::DeviceBuffer<vertex_t> ends;
  cuda::DeviceBuffer<W> weights;
  cuda::DeviceBuffer<edge_t> positions;

  static constexpr std::size_t bytes_per_edge = 2 * sizeof(vertex_t) + sizeof(W) + sizeof(edge_t);
};

/// A forest on a device, or a small one on the host.
template <class W>
using FoundForest = std::variant<SpanningForest<W>, DeviceForest<W>>;

/// Finds the forest as mst_cuda_to_host() does, and leaves it on the device if it may stay there:
/// if there is no memory limit, and may_stay_on() says so. Waits.
template <class W>
FoundForest<W> find_mst_cuda(const CsrView<W>& graph, const MstOptions& options,
                             const cuda::Stream& stream);
/// Finds the forest by mst_boruvka_cuda(), and leaves it on the device likewise. Waits.
template <class W>
FoundForest<W> find_mst_boruvka_cuda(const CsrView<W>& graph, const MstOptions& options,
                                     const cuda::Stream& stream);

/// Labels the trees of a forest as forest_labels() does. The ends of its edges, which close no
/// cycle, are on the stream's device; the labels are on the host. Waits.
void forest_labels_cuda(std::span<const vertex_t> ends, std::span<vertex_t> labels,
                        const cuda::Stream& stream);

/// Returns what sum_weights() does, for weights on the stream's device. Waits.
template <class W>
SumOfWeights<W> sum_weights_cuda(std::span<const W> weights, const cuda::Stream& stream);

}  // namespace warpgraph
