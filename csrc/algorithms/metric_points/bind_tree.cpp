#include "algorithms/metric_points/metric_points.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/primitives/metric.hpp"

namespace warpgraph {
namespace {

/// Returns (edges, weights).
Tuple<py::array, py::array> tree_by_metric(const EmstOptions& options, const py::object& points,
                                           MetricName name, double p, std::int64_t n_coordinates,
                                           MemoryBudget budget, Progress progress) {
  DenseForest forest = dispatch_coordinate(points, [&]<class T>() {
    const Points<T> there(points, Device{});
    return run_released(std::move(progress), [&] {
      return mst_with_cores(there.view(), Metric{name, p, n_coordinates}, options, false, budget);
    });
  });
  return py::make_tuple(to_pairs(std::move(forest.ends)), to_array(std::move(forest.weights)));
}

Tuple<py::array, py::array> tree_in_boxes(const EmstOptions& options, const py::object& points,
                                          MetricName name, double p, MemoryBudget budget,
                                          Progress progress) {
  DenseForest forest = dispatch_real(dtype_of(points), [&]<class T>() {
    const Points<T> there(points, Device{});
    const Metric metric = Metric{name, p, 0};
    return run_released(std::move(progress),
                        [&] { return mst_in_boxes(there.view(), metric, options, budget); });
  });
  return py::make_tuple(to_pairs(std::move(forest.ends)), to_array(std::move(forest.weights)));
}

}  // namespace

void init_metric_points_tree(py::module_& module) {
  define(module, "mst_by_metric", &tree_by_metric,
         {"points", "metric", "p", "n_coordinates", "ledger", "progress"},
         keyword("min_samples", &EmstOptions::min_samples), keyword("alpha", &EmstOptions::alpha));
  define(module, "mst_in_boxes", &tree_in_boxes, {"points", "metric", "p", "ledger", "progress"},
         keyword("min_samples", &EmstOptions::min_samples), keyword("alpha", &EmstOptions::alpha));
}

}  // namespace warpgraph
