#include "algorithms/worklist_paths/worklist_paths.hpp"
#include "bindings/call.hpp"
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"
#include "bindings/items.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

/// Writes the distances, which are floats of 32 or 64 bits.
void find_paths(Graph& graph, vertex_t source, py::array distances,
                const std::vector<Device>& devices) {
  const auto find = [&]<class W>() {
    const std::span<W> to = writable<W>(distances);
    const CsrView<W> host = host_view<W>(graph, false);
    run_released([&] { worklist_paths(host, source, devices, graph.parts_on(devices), to); });
  };
  py::isinstance<py::array_t<float>>(distances) ? find.template operator()<float>()
                                                : find.template operator()<double>();
}

}  // namespace

void init_worklist_paths(py::module_& module) {
  module.def("worklist_paths", &find_paths, py::arg("graph"), py::arg("source"),
             py::arg("distances"), py::arg("devices"));
}

}  // namespace warpgraph
