#include "algorithms/sssp/bellman_ford/bellman_ford_rounds.cuh"
#include "algorithms/sssp/device_searches.hpp"
#include "algorithms/sssp/near_far/near_far_search.cuh"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/memory/derived_cache.hpp"
#include "experiments/sssp/variants.hpp"
#include "primitives/relaxation/device_arcs.cuh"
#include "primitives/relaxation/device_limit.cuh"
#include "primitives/relaxation/device_overflow.cuh"

#include <memory>

namespace warpgraph::experiments {
namespace {

using namespace shortest_paths;

/// Makes the source's distance 0 and all others infinite.
template <class W>
void begin(vertex_t source, std::span<W> distances, const cuda::Stream& stream) {
  cuda::fill(distances.data(), infinity<W>(), std::ssize(distances), stream);
  cuda::fill(distances.data() + source, W{0}, 1, stream);
}

/// Reports an overflow, and makes distances beyond the farthest target infinite.
template <class W>
void finish(const DeviceArcs<W>& arcs, const CsrView<W>& host, const SsspOptions<W>& options,
            std::span<W> distances, const cuda::Stream& stream) {
  W wanted = infinity<W>();
  if (!options.targets.empty()) {
    const auto found = cuda::to_host<HostVector<W>>(distances.data(), distances.size(), stream);
    wanted = farthest_wanted(options.limit, options.targets,
                             [&](vertex_t v) { return found[static_cast<std::size_t>(v)]; });
  }
  if (wanted == infinity<W>()) {
    check_overflow_on<W>(stream, arcs, host, options.negative_weights, options.derived,
                         distances.data());
  }
  set_infinite_beyond_on(stream, wanted, host.n_vertices, distances.data());
}

/// Returns the vertices per segment of the list; 0: it is not sorted.
template <class W>
vertex_t length_of_segments(const BellmanFordVariant& variant, vertex_t n_vertices, Device device) {
  if (!variant.segments) return 0;
  if (variant.segment_length == 0) return segment_length_for<W>(n_vertices, device);
  return n_vertices / 3 < variant.segment_length ? 0 : variant.segment_length;
}

template <class W>
EdgeRelaxation<W> kernel_of(bool read_only_loads, bool negative_weights) {
  if (read_only_loads) {
    return negative_weights ? relax_edges<W, true, false> : relax_edges<W, true, true>;
  }
  return negative_weights ? relax_edges<W, false, false> : relax_edges<W, false, true>;
}

}  // namespace

template <class W>
void bellman_ford(const CsrView<W>& graph, const CsrView<W>& host, vertex_t source,
                  const SsspOptions<W>& options, const BellmanFordVariant& variant,
                  std::span<W> distances, const cuda::Stream& stream) {
  const DeviceEdgeListPlan plan{options.symmetric,
                                length_of_segments<W>(variant, graph.n_vertices, stream.device())};
  const auto make = [&](const cuda::Stream& on) { return DeviceEdgeList<W>(graph, plan, on); };
  const std::shared_ptr<const DeviceEdgeList<W>> edges =
      options.derived != nullptr ? options.derived->template get<DeviceEdgeList<W>>(
                                       plan.variant(host.weights != nullptr), make)
                                 : std::make_shared<const DeviceEdgeList<W>>(make(stream));
  begin(source, distances, stream);
  const DeviceArcs<W> arcs{graph, edges->view()};
  run_bellman_ford(stream, arcs.list, graph, host, options,
                   kernel_of<W>(variant.read_only_loads, options.negative_weights),
                   distances.data(), variant.frontier_rounds);
  finish(arcs, host, options, distances, stream);
}

template <class W>
void near_far(const CsrView<W>& graph, const CsrView<W>& host, vertex_t source,
              const SsspOptions<W>& options, const NearFarVariant& variant, std::span<W> distances,
              const cuda::Stream& stream) {
  const cuda::DeviceBuffer<vertex_t> targets = cuda::to_device(options.targets, stream);
  const NearFarTuning tuning{variant.width, variant.fused_hops, variant.threads, variant.blocks};
  begin(source, distances, stream);
  NearFarSearch<W>(stream, graph, host, options, tuning, targets.data(), distances.data())
      .run(DeviceSources{source});
  finish({graph, {}}, host, options, distances, stream);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bellman_ford)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(near_far)

}  // namespace warpgraph::experiments
