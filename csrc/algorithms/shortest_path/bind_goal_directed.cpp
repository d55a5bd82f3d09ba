// What a graph keeps for searches towards the target.
#include "algorithms/shortest_path/goal_directed.hpp"
#include "algorithms/shortest_path/landmarks.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graphs.hpp"

namespace warpgraph {
namespace {

double ratio_of(const Graph& graph, const py::array& coordinates, const py::dtype& dtype,
                bool unweighted) {
  const VertexPoints points{readable<double>(coordinates), coordinates.shape(1)};
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> view = host_view<W>(graph, unweighted);
    return run_released([&] { return least_ratio(view, points); });
  });
}

/// Returns (vertices, distances from them, distances to them). The last is empty where the
/// transposed graph is the graph.
Tuple<py::array_t<vertex_t>, py::array_t<double>, py::array_t<double>> landmarks_of(
    const LandmarkOptions& options, const Graph& graph, const Graph& transposed,
    const py::dtype& dtype, bool unweighted, std::span<const vertex_t> given) {
  Landmarks found;
  dispatch_weight(dtype, [&]<class W>() {
    LandmarkOptions with_given = options;
    with_given.given = given;
    const CsrView<W> forward = host_view<W>(graph, unweighted);
    const CsrView<W> backward = host_view<W>(transposed, unweighted);
    const CsrView<W>* const other = &graph == &transposed ? nullptr : &backward;
    found = run_released([&] { return find_landmarks(forward, other, with_given); });
  });
  return py::make_tuple(to_array(std::move(found.vertices)), to_array(std::move(found.from)),
                        to_array(std::move(found.to)));
}

}  // namespace

void init_shortest_path_goal_directed(py::module_& module) {
  module.def("least_ratio", &ratio_of, py::arg("graph"), py::arg("coordinates"), py::arg("dtype"),
             py::arg("unweighted"));
  define(
      module, "landmarks", &landmarks_of, {"graph", "transposed", "dtype", "unweighted", "given"},
      keyword("n_chosen", &LandmarkOptions::n_chosen), keyword("ledger", &LandmarkOptions::budget));
}

}  // namespace warpgraph
