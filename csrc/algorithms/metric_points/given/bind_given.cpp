// Neighbours by distances that are given.
#include "algorithms/metric_points/given/given_neighbours.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graphs.hpp"

namespace warpgraph {
namespace {

/// The first vertex with too few neighbours, or -1, and how many it has.
using Few = Tuple<vertex_t, std::int64_t>;

Few to_tuple(const TooFewNeighbours& few) { return py::make_tuple(few.vertex, few.n_found); }

GivenNeighbours rows_of(std::span<vertex_t> neighbours, std::span<double> distances, std::int64_t k,
                        bool include_self) {
  return {k, include_self, neighbours, distances};
}

Few of_matrix(const py::array& array, std::span<vertex_t> neighbours, std::span<double> distances,
              std::int64_t k, bool include_self, MemoryBudget budget, Progress progress) {
  return dispatch_real(array.dtype(), [&]<class T>() -> Few {
    const DistanceMatrix<T> matrix{readable<T>(array).data(),
                                   static_cast<vertex_t>(array.shape(0))};
    return to_tuple(run_released(std::move(progress), [&] {
      check_distances(matrix);
      return nearest_of_matrix(matrix, budget, rows_of(neighbours, distances, k, include_self));
    }));
  });
}

Few of_graph(const Graph& graph, const py::dtype& dtype, std::span<vertex_t> neighbours,
             std::span<double> distances, std::int64_t k, bool include_self, MemoryBudget budget,
             Progress progress) {
  return dispatch_real(dtype, [&]<class T>() -> Few {
    const CsrView<T> view = graph.view<T>();
    return to_tuple(run_released(std::move(progress), [&] {
      return nearest_of_graph(view, budget, rows_of(neighbours, distances, k, include_self));
    }));
  });
}

}  // namespace

void init_metric_points_given(py::module_& module) {
  module.def("nearest_of_matrix", &of_matrix, py::arg("distances"), py::arg("neighbours"),
             py::arg("found"), py::arg("n_neighbors"), py::arg("include_self"), py::arg("ledger"),
             py::arg("progress"));
  module.def("nearest_of_graph", &of_graph, py::arg("graph"), py::arg("dtype"),
             py::arg("neighbours"), py::arg("found"), py::arg("n_neighbors"),
             py::arg("include_self"), py::arg("ledger"), py::arg("progress"));
}

}  // namespace warpgraph
