#include "algorithms/dense_mst/dense_mst.hpp"
#include "bindings/arrays.hpp"
#include "bindings/call.hpp"

namespace warpgraph {
namespace {

template <class T>
py::tuple solve_matrix(const py::array& array, std::size_t memory_limit, py::object progress) {
  const DistanceMatrix<T> distances{readable<T>(array).data(),
                                    static_cast<vertex_t>(array.shape(0))};
  DenseForest forest = run_released(std::move(progress), [&] {
    check_distances(distances);
    return dense_mst(distances, MemoryBudget(Device{}, memory_limit));
  });
  const auto n_edges = static_cast<py::ssize_t>(forest.weights.size());
  return py::make_tuple(to_array(std::move(forest.ends)).reshape({n_edges, py::ssize_t{2}}),
                        to_array(std::move(forest.weights)));
}

}  // namespace

void init_dense_mst(py::module_& module) {
  module.def(
      "dense_mst",
      [](const py::array& distances, std::size_t memory_limit, py::object progress) {
        return py::isinstance<py::array_t<float>>(distances)
                   ? solve_matrix<float>(distances, memory_limit, std::move(progress))
                   : solve_matrix<double>(distances, memory_limit, std::move(progress));
      },
      py::arg("distances"), py::arg("memory_limit"), py::arg("progress"));
}

}  // namespace warpgraph
