#include "algorithms/metric_points/function_pairs.hpp"
#include "algorithms/metric_points/given/given_neighbours.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
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

GivenRows<double> rows_in(const py::array& array) {
  return {readable<double>(array).data(), array.shape(0), static_cast<vertex_t>(array.shape(1))};
}

void of_rows(const KnnOptions& options, const py::array& distances, std::span<vertex_t> neighbours,
             std::span<double> found, MemoryBudget budget) {
  const GivenRows<double> rows = rows_in(distances);
  run_released([&] {
    nearest_of_rows(rows, budget, options, {neighbours.data(), found.data(), nullptr});
  });
}

/// Returns (offsets, ids, distances).
Tuple<py::array, py::array, py::array> within(const RadiusOptions& options,
                                              const py::array& distances, MemoryBudget budget) {
  const GivenRows<double> given = rows_in(distances);
  NeighbourRows rows = run_released([&] { return within_of_rows(given, options, budget); });
  return py::make_tuple(to_array(std::move(rows.offsets)), to_array(std::move(rows.ids)),
                        to_array(std::move(rows.distances)));
}

}  // namespace

void init_metric_points_function(py::module_& module) {
  module.def("matrix_by_function", &write_matrix, py::arg("function"), py::arg("points"),
             py::arg("matrix"), py::arg("progress"));
  module.def("distances_by_function", &write_distances, py::arg("function"), py::arg("points"),
             py::arg("queries"), py::arg("distances"), py::arg("progress"));
  define(module, "nearest_of_rows", &of_rows, {"distances", "neighbours", "found", "ledger"},
         keyword("n_neighbors", &KnnOptions::n_neighbors));
  define(module, "within_of_rows", &within, {"distances", "ledger"},
         keyword("radius", &RadiusOptions::radius), keyword("are_own", &RadiusOptions::are_own),
         keyword("include_self", &RadiusOptions::include_self),
         keyword("with_distances", &RadiusOptions::with_distances));
}

}  // namespace warpgraph
