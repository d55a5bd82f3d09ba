// The methods for spanning forests, by their names.
#pragma once

#include "algorithms/mst/mst.hpp"
#include "algorithms/mst/sorted_rows/mst_boruvka.hpp"
#include "core/error.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "algorithms/mst/forest/device_forest.hpp"
#endif

namespace warpgraph::mst {

template <class W>
SpanningForest<W> solve_on_cpu(const CsrView<W>& graph, const MstOptions& options) {
  EXPECTS(options.method != MstMethod::boruvka, "boruvka runs on CUDA devices");
  return options.method == MstMethod::reference ? mst_reference(graph, options)
                                                : mst_cpu(graph, options);
}

/// Solves by the method of the options on the stream's device, where the graph is.
template <class W>
SpanningForest<W> solve_on_cuda(const CsrView<W>& graph, const MstOptions& options,
                                const cuda::Stream& stream) {
  return options.method == MstMethod::boruvka ? mst_boruvka_cuda_to_host(graph, options, stream)
                                              : mst_cuda_to_host(graph, options, stream);
}

#if defined(WARPGRAPH_HAS_CUDA)
/// Solves in the same way, and leaves a large forest on the device.
template <class W>
FoundForest<W> find_on_cuda(const CsrView<W>& graph, const MstOptions& options,
                            const cuda::Stream& stream) {
  return options.method == MstMethod::boruvka ? find_mst_boruvka_cuda(graph, options, stream)
                                              : find_mst_cuda(graph, options, stream);
}
#endif

/// Writes the positions of the forest's edges to `out` on the stream's device, and returns their
/// number. `originals`, if not empty, maps the positions to others.
template <class W>
std::int64_t write_positions(const CsrView<W>& graph, const MstOptions& options,
                             std::span<const edge_t> originals, std::span<edge_t> out,
                             const cuda::Stream& stream) {
  const std::int64_t n = options.method == MstMethod::boruvka
                             ? mst_boruvka_cuda(graph, options, out.data(), stream)
                             : mst_cuda(graph, options, out.data(), stream);
  if (!originals.empty()) gather_on_device(originals, out.data(), n, stream);
  return n;
}

}  // namespace warpgraph::mst
