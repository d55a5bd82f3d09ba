#include "algorithms/knn/given/graph_cores.hpp"
#include "bindings/call.hpp"
#include "bindings/graph_handle.hpp"

namespace warpgraph {
namespace {

py::array cores_of_graph(const GraphHandle& graph, const py::dtype& dtype,
                         std::int32_t min_samples) {
  return dispatch_real(dtype, [&]<class T>() -> py::array {
    const CsrView<T> view = graph.view<T>();
    return to_array(run_released([&] {
      HostVector<T> cores(static_cast<std::size_t>(view.n_vertices));
      core_distances_of_graph<T>(view, min_samples, cores);
      return cores;
    }));
  });
}

py::array mutual_weights(const GraphHandle& graph, const py::array& cores) {
  return dispatch_real(cores.dtype(), [&]<class T>() -> py::array {
    const CsrView<T> view = graph.view<T>();
    const std::span<const T> of_vertex = readable<T>(cores);
    return to_array(run_released([&] {
      HostVector<T> weights(static_cast<std::size_t>(view.n_arcs));
      mutual_reachability_weights<T>(view, of_vertex, weights);
      return weights;
    }));
  });
}

}  // namespace

void init_knn_graph_cores(py::module_& module) {
  module.def("graph_core_distances", &cores_of_graph, py::arg("graph"), py::arg("dtype"),
             py::arg("min_samples"));
  module.def("mutual_reachability_weights", &mutual_weights, py::arg("graph"), py::arg("cores"));
}

}  // namespace warpgraph
