#include "algorithms/shortest_path/goal_directed.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graph_arrays.hpp"
#include "bindings/graph_handle.hpp"

namespace warpgraph {
namespace {

VertexPoints points_of(const py::array& coordinates) {
  return {readable<double>(coordinates), coordinates.shape(1)};
}

double ratio_of(const GraphHandle& graph, const py::array& coordinates, const py::dtype& dtype,
                bool unweighted) {
  const VertexPoints points = points_of(coordinates);
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> view = host_view<W>(graph, unweighted);
    return run_released([&] { return least_ratio(view, points); });
  });
}

/// (length, vertices, whether the length of a path overflowed).
Tuple<py::object, py::array_t<vertex_t>, bool> path_towards(
    const ShortestPathSettings& settings, const GraphHandle& graph, const GraphHandle& transposed,
    vertex_t source, vertex_t target, const py::dtype& dtype, bool unweighted,
    const py::array& coordinates, double ratio) {
  const VertexPoints points = points_of(coordinates);
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> forward = host_view<W>(graph, unweighted);
    const CsrView<W> backward = host_view<W>(transposed, unweighted);
    ShortestPath<W> found = run_released([&] {
      return shortest_path_goal_directed(forward, backward, source, target, points, ratio,
                                         settings);
    });
    return Tuple<py::object, py::array_t<vertex_t>, bool>(
        py::make_tuple(found.length, to_array(std::move(found.vertices)), found.overflows));
  });
}

}  // namespace

void init_goal_directed(py::module_& module) {
  define(module, "goal_directed_path", &path_towards,
         {"graph", "transposed", "source", "target", "dtype", "unweighted", "coordinates", "ratio"},
         ledger_keyword(&ShortestPathSettings::memory_limit));
  module.def("least_ratio", &ratio_of, py::arg("graph"), py::arg("coordinates"), py::arg("dtype"),
             py::arg("unweighted"));
}

}  // namespace warpgraph
