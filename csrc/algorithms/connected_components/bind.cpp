#include "algorithms/connected_components/connected_components.hpp"
#include "bindings/call.hpp"
#include "bindings/graph_handle.hpp"

namespace warpgraph {
namespace {

vertex_t components(GraphHandle& graph, py::array labels, const std::string& method,
                    const std::string& device_name) {
  const std::span<vertex_t> out = writable<vertex_t>(labels);
  const Device device = Device::parse(device_name);
  return run_released(py::none(), [&] {
    if (method == "reference") return connected_components_reference(graph.pattern(), out);
    require_device(device);
    return connected_components_cpu(graph.pattern(), out);
  });
}

}  // namespace

void init_connected_components(py::module_& module) {
  module.def("connected_components", &components, py::arg("graph"), py::arg("labels"),
             py::arg("method"), py::arg("device"));
}

}  // namespace warpgraph
