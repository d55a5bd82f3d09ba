#include "algorithms/metric_points/bind_metric.hpp"
#include "algorithms/metric_points/metric_points.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"

namespace warpgraph {
namespace {

/// (edges, weights).
Tuple<py::array, py::array> tree_by_metric(const py::object& points, std::string_view name,
                                           double p, std::int64_t n_coordinates,
                                           std::span<const double> cores, double alpha,
                                           LeftInLedger ledger, Progress progress) {
  DenseForest forest;
  dispatch_coordinate(points, [&]<class T>() {
    const Points<T> there(points, Device{});
    run_released(std::move(progress), [&] {
      forest = mst_by_metric(there.view(), metric_of(name, p, n_coordinates), cores, alpha,
                             MemoryBudget(Device{}, ledger));
    });
  });
  return py::make_tuple(to_pairs(std::move(forest.ends)), to_array(std::move(forest.weights)));
}

}  // namespace

void init_metric_tree(py::module_& module) {
  module.def("mst_by_metric", &tree_by_metric, py::arg("points"), py::arg("metric"), py::arg("p"),
             py::arg("n_coordinates"), py::arg("cores"), py::arg("alpha"), py::arg("ledger"),
             py::arg("progress"));
}

}  // namespace warpgraph
