#include "algorithms/dense_mst/dense_mst.hpp"
#include "bindings/arrays.hpp"
#include "bindings/call.hpp"

namespace warpgraph {
namespace {

/// (edges, weights).
Tuple<py::array, py::array> solve(const py::array& array, std::size_t memory_limit,
                                  Progress progress) {
  return dispatch_real(array.dtype(), [&]<class T>() -> Tuple<py::array, py::array> {
    const DistanceMatrix<T> distances{readable<T>(array).data(),
                                      static_cast<vertex_t>(array.shape(0))};
    DenseForest forest = run_released(std::move(progress), [&] {
      check_distances(distances);
      return dense_mst(distances, MemoryBudget(Device{}, memory_limit));
    });
    return py::make_tuple(to_pairs(std::move(forest.ends)), to_array(std::move(forest.weights)));
  });
}

}  // namespace

void init_dense_mst(py::module_& module) {
  module.def("dense_mst", &solve, py::arg("distances"), py::arg("memory_limit"),
             py::arg("progress"));
}

}  // namespace warpgraph
