// Variants of the methods on CUDA devices, for benchmarks and tests: searches to all vertices.
#include "algorithms/sssp/variants.hpp"
#include "bindings/call.hpp"
#include "bindings/device.hpp"
#include "bindings/graph_handle.hpp"
#include "bindings/items.hpp"
#include "bindings/keywords.hpp"

namespace warpgraph {
namespace {

using shortest_paths::BellmanFordVariant;
using shortest_paths::NearFarVariant;
using shortest_paths::SsspVariant;

/// CPU cores have one variant.
void search(const SsspSettings& settings, [[maybe_unused]] const SsspVariant& variant,
            GraphHandle& graph, vertex_t source, const py::object& distances, Device device) {
  dispatch_weight(dtype_of(distances), [&]<class W>() {
    SsspOptions<W> options{settings, infinity<W>(), {}};
    const Items<W> items = writable_items<W>(distances, device);
    const SsspResult<W> result{items.span, {}, items.on_device};
    const CsrView<W> host = host_view<W>(graph, false);
    run_released([&] {
      run_on(
          device, [&] { sssp_cpu(host, source, options, result); },
          [&](const auto& stream) {
            options.derived = &graph.derived_on(device);
            shortest_paths::sssp_cuda_variant(device_view<W>(graph, false, device), host,
                                              {&source, 1}, options, variant, result, stream);
          });
    });
  });
}

void search_by_bellman_ford(const BellmanFordVariant& variant, GraphHandle& graph, vertex_t source,
                            const py::object& distances, bool negative_weights, bool symmetric,
                            Device device) {
  search({SsspMethod::bellman_ford, negative_weights, symmetric}, {variant, {}}, graph, source,
         distances, device);
}

void search_by_near_far(const NearFarVariant& variant, GraphHandle& graph, vertex_t source,
                        const py::object& distances, Device device) {
  search({SsspMethod::near_far}, {{}, variant}, graph, source, distances, device);
}

}  // namespace

void init_sssp_variants(py::module_& module) {
  define(module, "bellman_ford_variant", &search_by_bellman_ford,
         {"graph", "source", "distances", "negative_weights", "symmetric", "device"},
         keyword("read_only_loads", &BellmanFordVariant::read_only_loads),
         keyword("segments", &BellmanFordVariant::segments),
         keyword("segment_length", &BellmanFordVariant::segment_length));
  define(module, "near_far_variant", &search_by_near_far,
         {"graph", "source", "distances", "device"}, keyword("width", &NearFarVariant::width),
         keyword("fused_hops", &NearFarVariant::fused_hops),
         keyword("threads", &NearFarVariant::threads), keyword("blocks", &NearFarVariant::blocks));
}

}  // namespace warpgraph
