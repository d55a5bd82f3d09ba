// Variants of the searches from one vertex: to all vertices, whose distances fill an array.
#include "bindings/call.hpp"
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"
#include "bindings/items.hpp"
#include "bindings/keywords.hpp"
#include "experiments/sssp/variants.hpp"

namespace warpgraph {
namespace {

using experiments::BellmanFordVariant;
using experiments::NearFarVariant;

/// Calls search(graph, host, options, distances, stream) on a CUDA device.
template <class Search>
void search_on_cuda(const SsspSettings& settings, Graph& graph, const py::object& distances,
                    Device device, [[maybe_unused]] const Search& search) {
  dispatch_weight(dtype_of(distances), [&]<class W>() {
    SsspOptions<W> options{settings, infinity<W>(), {}};
    const Items<W> items = writable_items<W>(distances, device);
    const CsrView<W> host = host_view<W>(graph, false);
    run_released([&] {
      run_on_cuda(device, [&](const auto& stream) {
        options.derived = &graph.derived_on(device);
        const auto found = device_output(items, stream);
        search(device_view<W>(graph, false, device), host, options, found.span(), stream);
        found.finish();
      });
    });
  });
}

void search_by_bellman_ford(const BellmanFordVariant& variant, Graph& graph, vertex_t source,
                            const py::object& distances, bool negative_weights, bool symmetric,
                            Device device) {
  search_on_cuda({SsspMethod::bellman_ford, negative_weights, symmetric}, graph, distances, device,
                 [&](const auto& there, const auto& host, const auto& options, auto found,
                     const auto& stream) {
                   experiments::bellman_ford(there, host, source, options, variant, found, stream);
                 });
}

void search_by_near_far(const NearFarVariant& variant, Graph& graph, vertex_t source,
                        const py::object& distances, Device device) {
  search_on_cuda({SsspMethod::near_far}, graph, distances, device,
                 [&](const auto& there, const auto& host, const auto& options, auto found,
                     const auto& stream) {
                   experiments::near_far(there, host, source, options, variant, found, stream);
                 });
}

}  // namespace

void init_experiments_sssp(py::module_& module) {
  define(module, "bellman_ford", &search_by_bellman_ford,
         {"graph", "source", "distances", "negative_weights", "symmetric", "device"},
         keyword("read_only_loads", &BellmanFordVariant::read_only_loads),
         keyword("segments", &BellmanFordVariant::segments),
         keyword("segment_length", &BellmanFordVariant::segment_length),
         keyword("frontier_rounds", &BellmanFordVariant::frontier_rounds));
  define(module, "near_far", &search_by_near_far, {"graph", "source", "distances", "device"},
         keyword("width", &NearFarVariant::width),
         keyword("fused_hops", &NearFarVariant::fused_hops),
         keyword("threads", &NearFarVariant::threads), keyword("blocks", &NearFarVariant::blocks));
}

}  // namespace warpgraph
