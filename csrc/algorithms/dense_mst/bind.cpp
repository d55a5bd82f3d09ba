#include "algorithms/dense_mst/dense_mst.hpp"
#include "bindings/arrays.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"

namespace warpgraph {
namespace {

/// Returns (edges, weights).
Tuple<py::array, py::array> solve(const py::array& array, std::int32_t min_samples, double alpha,
                                  MemoryBudget budget, Progress progress) {
  return dispatch_real(array.dtype(), [&]<class T>() -> Tuple<py::array, py::array> {
    const DistanceMatrix<T> distances{readable<T>(array).data(),
                                      static_cast<vertex_t>(array.shape(0))};
    DenseForest forest = run_released(std::move(progress), [&] {
      check_distances(distances);
      const auto cores =
          min_samples > 1 ? core_distances(distances, min_samples) : std::vector<T>();
      return dense_mst<T>(distances, cores, static_cast<T>(alpha), budget);
    });
    return py::make_tuple(to_pairs(std::move(forest.ends)), to_array(std::move(forest.weights)));
  });
}

py::array cores_of_matrix(const py::array& array, std::int32_t min_samples, Progress progress) {
  return dispatch_real(array.dtype(), [&]<class T>() -> py::array {
    const DistanceMatrix<T> distances{readable<T>(array).data(),
                                      static_cast<vertex_t>(array.shape(0))};
    return to_array(run_released(std::move(progress), [&] {
      check_distances(distances);
      return core_distances(distances, min_samples);
    }));
  });
}

}  // namespace

void init_dense_mst(py::module_& module) {
  module.def("dense_mst", &solve, py::arg("distances"), py::arg("min_samples"), py::arg("alpha"),
             py::arg("ledger"), py::arg("progress"));
  module.def("dense_core_distances", &cores_of_matrix, py::arg("distances"), py::arg("min_samples"),
             py::arg("progress"));
}

}  // namespace warpgraph
