// Graphs on a CUDA device: copies there, and arrays that lie there.
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"
#include "bindings/hand_over.hpp"
#include "bindings/shared_arrays.hpp"

namespace warpgraph {
namespace {

Owned<Graph> graph_in_place(const py::array& indptr, const DeviceArray& on_device,
                            const DeviceArray& indices) {
  return hand_over(std::make_unique<Graph>(shared(indptr), shared(on_device), shared(indices)));
}

void make_resident(Graph& graph, Device device, const py::dtype& dtype) {
  dispatch_weight(dtype,
                  [&]<class W>() { run_released([&] { return graph.view_on<W>(device); }); });
}

}  // namespace

void init_graph_on_device(py::module_& module) {
  module.def("graph_on_device", &graph_in_place, py::arg("indptr"), py::arg("indptr_on_device"),
             py::arg("indices"));
  module.def("make_resident", &make_resident, py::arg("graph"), py::arg("device"),
             py::arg("dtype"));
  module.def(
      "use_weights",
      [](Graph& graph, const DeviceArray& weights) { graph.use_weights(shared(weights)); },
      py::arg("graph"), py::arg("weights"));
  module.def(
      "heads_on_host", [](const Graph& graph) { return to_numpy(graph.heads_on_host()); },
      py::arg("graph"));
  module.def(
      "weights_on_host", [](const Graph& graph) { return to_numpy(graph.weights_on_host()); },
      py::arg("graph"));
}

}  // namespace warpgraph
