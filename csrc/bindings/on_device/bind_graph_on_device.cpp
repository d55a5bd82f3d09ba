// Graphs on a CUDA device: copies there, and arrays that lie there.
#include "bindings/call.hpp"
#include "bindings/device.hpp"
#include "bindings/graph_handle.hpp"
#include "bindings/hand_over.hpp"

namespace warpgraph {
namespace {

Owned<GraphHandle> handle_of(const py::array& indptr, const DeviceArray& on_device,
                             const DeviceArray& indices) {
  return hand_over(std::make_unique<GraphHandle>(indptr, on_device, indices));
}

void make_resident(GraphHandle& graph, Device device, const py::dtype& dtype) {
  dispatch_weight(dtype,
                  [&]<class W>() { run_released([&] { return graph.view_on<W>(device); }); });
}

}  // namespace

void init_graph_on_device(py::module_& module) {
  module.def("graph_handle_on_device", &handle_of, py::arg("indptr"), py::arg("indptr_on_device"),
             py::arg("indices"));
  module.def("make_resident", &make_resident, py::arg("graph"), py::arg("device"),
             py::arg("dtype"));
  module.def("use_weights", &GraphHandle::use_weights, py::arg("graph"), py::arg("weights"));
  module.def("heads_on_host", &GraphHandle::heads_on_host, py::arg("graph"));
  module.def("weights_on_host", &GraphHandle::weights_on_host, py::arg("graph"));
}

}  // namespace warpgraph
