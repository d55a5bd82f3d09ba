// Variants of bellman_ford on CUDA devices, for benchmarks and tests.
#include "algorithms/sssp/variants.hpp"
#include "bindings/call.hpp"
#include "bindings/device.hpp"
#include "bindings/graph_handle.hpp"
#include "bindings/items.hpp"
#include "bindings/keywords.hpp"

namespace warpgraph {
namespace {

using shortest_paths::BellmanFordVariant;

/// A search to all vertices. CPU cores have one variant.
void search([[maybe_unused]] const BellmanFordVariant& variant, GraphHandle& graph, vertex_t source,
            const py::object& distances, bool negative_weights, bool symmetric, Device device) {
  dispatch_weight(dtype_of(distances), [&]<class W>() {
    SsspOptions<W> options;
    options.method = SsspMethod::bellman_ford;
    options.negative_weights = negative_weights;
    options.symmetric = symmetric;
    const Items<W> items = writable_items<W>(distances, device);
    const SsspResult<W> result{items.span, {}, items.on_device};
    const CsrView<W> host = host_view<W>(graph, false);
    run_released([&] {
      run_on(
          device, [&] { sssp_cpu(host, source, options, result); },
          [&](const auto& stream) {
            options.derived = &graph.derived_on(device);
            shortest_paths::sssp_cuda_variant(device_view<W>(graph, false, device), host, source,
                                              options, {variant, {}}, result, stream);
          });
    });
  });
}

}  // namespace

void init_bellman_ford(py::module_& module) {
  define(module, "bellman_ford_variant", &search,
         {"graph", "source", "distances", "negative_weights", "symmetric", "device"},
         keyword("read_only_loads", &BellmanFordVariant::read_only_loads),
         keyword("segments", &BellmanFordVariant::segments),
         keyword("segment_length", &BellmanFordVariant::segment_length));
}

}  // namespace warpgraph
