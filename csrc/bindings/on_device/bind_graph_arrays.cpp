// Graphs of arrays on the host or on a CUDA device, and their arrays.
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"
#include "bindings/hand_over.hpp"
#include "bindings/on_device/shared_arrays.hpp"

namespace warpgraph {
namespace {

Owned<Graph> graph_of_arrays(const py::array& indptr, const py::array& indices,
                             bool defers_checks) {
  return hand_over(std::make_unique<Graph>(shared(indptr), shared(indices), defers_checks));
}

Owned<Graph> graph_in_place(const py::array& indptr, const DeviceArray& on_device,
                            const DeviceArray& indices) {
  return hand_over(std::make_unique<Graph>(shared(indptr), shared(on_device), shared(indices)));
}

/// Returns the dtype of the caller's weights.
py::dtype dtype_of_weights(const Graph& graph) {
  return graph.with_type_of_caller([]<class W>() { return py::dtype::of<W>(); });
}

void set_weights(Graph& graph, const py::array& weights) { graph.set_weights(shared(weights)); }
void use_weights(Graph& graph, const DeviceArray& weights) { graph.use_weights(shared(weights)); }
py::array heads_on_host(const Graph& graph) { return to_numpy(graph.heads_on_host()); }
py::array weights_on_host(const Graph& graph) { return to_numpy(graph.weights_on_host()); }

void make_resident(Graph& graph, Device device, const py::dtype& dtype) {
  dispatch_weight(dtype,
                  [&]<class W>() { run_released([&] { return graph.view_on<W>(device); }); });
}

}  // namespace

void init_graph_arrays(py::module_& module) {
  module.def("graph", &graph_of_arrays, py::arg("indptr"), py::arg("indices"),
             py::arg("defers_checks") = false);
  module.def("graph_on_device", &graph_in_place, py::arg("indptr"), py::arg("indptr_on_device"),
             py::arg("indices"));
  module.def("dtype_of_weights", &dtype_of_weights, py::arg("graph"));
  module.def("set_weights", &set_weights, py::arg("graph"), py::arg("weights"));
  module.def("use_weights", &use_weights, py::arg("graph"), py::arg("weights"));
  module.def("heads_on_host", &heads_on_host, py::arg("graph"));
  module.def("weights_on_host", &weights_on_host, py::arg("graph"));
  module.def("make_resident", &make_resident, py::arg("graph"), py::arg("device"),
             py::arg("dtype"));
}

}  // namespace warpgraph
