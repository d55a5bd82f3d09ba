#include "algorithms/knn/given/graph_cores.hpp"
#include "bindings/call.hpp"
#include "bindings/graphs.hpp"

namespace warpgraph {
namespace {

py::array cores_of_graph(const Graph& graph, const py::dtype& dtype, std::int32_t min_samples) {
  return dispatch_real(dtype, [&]<class T>() -> py::array {
    const CsrView<T> view = graph.view<T>();
    return to_array(run_released([&] {
      HostVector<T> cores(static_cast<std::size_t>(view.n_vertices));
      core_distances_of_graph<T>(view, min_samples, cores);
      return cores;
    }));
  });
}

edge_t mutual_weights(const Graph& graph, const py::array& cores, double divisor,
                      py::array weights) {
  return dispatch_real(weights.dtype(), [&]<class T>() -> edge_t {
    const CsrView<T> view = graph.view<T>();
    const std::span<const T> of_vertex = readable<T>(cores);
    const std::span<T> found = writable<T>(weights);
    return run_released([&] {
      return mutual_reachability_weights<T>(view, of_vertex, static_cast<T>(divisor), found);
    });
  });
}

}  // namespace

void init_knn_graph_cores(py::module_& module) {
  module.def("graph_core_distances", &cores_of_graph, py::arg("graph"), py::arg("dtype"),
             py::arg("min_samples"));
  module.def("mutual_reachability_weights", &mutual_weights, py::arg("graph"), py::arg("cores"),
             py::arg("divisor"), py::arg("weights"));
}

}  // namespace warpgraph
