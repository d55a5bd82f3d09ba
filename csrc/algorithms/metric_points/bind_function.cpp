#include "algorithms/metric_points/function_pairs.hpp"
#include "bindings/call.hpp"
#include "bindings/graph/points.hpp"

namespace warpgraph {
namespace {

/// Two points without a distance, or (-1, -1).
using Refused = Tuple<vertex_t, vertex_t>;

/// Returns the function in a capsule, as SciPy's LowLevelCallable has it.
DistanceFunction function_in(const py::object& function) {
  const auto capsule = py::reinterpret_borrow<py::capsule>(function);
  return reinterpret_cast<DistanceFunction>(capsule.get_pointer<void>());
}

Refused write_matrix(const py::object& function, const py::object& points, std::span<double> matrix,
                     Progress progress) {
  const Points<double> there(points, Device{});
  const DistanceFunction distance = function_in(function);
  const RefusedPair found = run_released(
      std::move(progress), [&] { return matrix_by_function(there.view(), distance, matrix); });
  return py::make_tuple(found.first, found.second);
}

Refused write_distances(const py::object& function, const py::object& points,
                        const py::object& queries, std::span<double> distances, Progress progress) {
  const Points<double> there(points, Device{});
  const Points<double> from(queries, Device{});
  const DistanceFunction distance = function_in(function);
  const RefusedPair found = run_released(std::move(progress), [&] {
    return distances_by_function(there.view(), from.view(), distance, distances);
  });
  return py::make_tuple(found.first, found.second);
}

}  // namespace

void init_function_pairs(py::module_& module) {
  module.def("matrix_by_function", &write_matrix, py::arg("function"), py::arg("points"),
             py::arg("matrix"), py::arg("progress"));
  module.def("distances_by_function", &write_distances, py::arg("function"), py::arg("points"),
             py::arg("queries"), py::arg("distances"), py::arg("progress"));
}

}  // namespace warpgraph
