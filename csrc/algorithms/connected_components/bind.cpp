#include "algorithms/connected_components/connected_components.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"
#include "bindings/items.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

// `labels` is a NumPy array, or one on the only device that searches.

vertex_t weak(Graph& graph, bool mirrored, const py::object& labels,
              const std::vector<Device>& devices, MemoryBudget budget) {
  const Device device = devices.at(0);
  const Items<vertex_t> items = writable_items<vertex_t>(labels, device);
  return run_released([&] {
    if (devices.size() > 1) {
      return connected_components_multi(graph.pattern(), mirrored, graph.hub(), devices, items.span,
                                        budget, graph.parts_on(devices));
    }
    return run_on(
        device,
        [&] { return connected_components_cpu(graph.pattern(), mirrored, items.span, budget); },
        [&](const auto& stream) {
          return connected_components_cuda(graph.pattern_on(device), mirrored, graph.hub(),
                                           {items.span, items.on_device}, budget, stream);
        });
  });
}

vertex_t strong(Graph& graph, const py::object& labels, Device device, MemoryBudget budget) {
  const Items<vertex_t> items = writable_items<vertex_t>(labels, device);
  return run_released([&] {
    return run_on(
        device, [&] { return strong_components_cpu(graph.pattern(), items.span, budget); },
        [&](const auto& stream) {
          return strong_components_cuda(graph.pattern_on(device), {items.span, items.on_device},
                                        budget, stream);
        });
  });
}

vertex_t strong_by_search(const Graph& graph, std::span<vertex_t> labels, bool last_arc_first,
                          MemoryBudget budget) {
  return run_released(
      [&] { return strong_components_by_search(graph.pattern(), labels, last_arc_first, budget); });
}

/// Runs one of the sequential functions.
template <vertex_t (*find)(const CsrPattern&, std::span<vertex_t>)>
vertex_t reference(const Graph& graph, std::span<vertex_t> labels) {
  return run_released([&] { return find(graph.pattern(), labels); });
}

}  // namespace

void init_connected_components(py::module_& module) {
  module.def("connected_components", &weak, py::arg("graph"), py::arg("mirrored"),
             py::arg("labels"), py::arg("devices"), py::arg("ledger"));
  module.def("connected_components_reference", &reference<connected_components_reference>,
             py::arg("graph"), py::arg("labels"));
  module.def("strong_components", &strong, py::arg("graph"), py::arg("labels"), py::arg("device"),
             py::arg("ledger"));
  module.def("strong_components_by_search", &strong_by_search, py::arg("graph"), py::arg("labels"),
             py::arg("last_arc_first"), py::arg("ledger"));
  module.def("strong_components_reference", &reference<strong_components_reference>,
             py::arg("graph"), py::arg("labels"));
}

}  // namespace warpgraph
