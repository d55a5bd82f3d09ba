#include "algorithms/metric_points/metric_points.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/primitives/metric.hpp"

namespace warpgraph {
namespace {

template <class Item>
Item* items_of_metric(const py::object& array, Device device) {
  return array.is_none() ? nullptr : writable_items<Item>(array, device).span.data();
}

/// Queries of None: the points, which alone are searched for on a CUDA device.
void find_nearest_by_metric(const KnnOptions& options, const py::object& points,
                            const py::object& queries, MetricName name, double p,
                            std::int64_t n_coordinates, bool in_boxes, const py::object& neighbours,
                            const py::object& distances, const py::object& farthest, Device device,
                            MemoryBudget budget, Progress progress) {
  const NeighboursView out{items_of_metric<vertex_t>(neighbours, device),
                           items_of_metric<double>(distances, device),
                           items_of_metric<double>(farthest, device)};
  const Metric metric{name, p, n_coordinates};
  const bool are_own = queries.is_none();
  dispatch_coordinate(points, [&]<class T>() {
    const Points<T> there(points, device);
    const Points<T> from(are_own ? points : queries, device);
    run_released(std::move(progress), [&] {
      run_on(
          device,
          [&] {
            nearest_by_metric(there.view(), from.view(), metric, options, are_own, in_boxes, out,
                              budget);
          },
          [&](const auto& stream) {
            knn_by_metric_cuda(there.view(), metric, options, out, budget.on(device), stream);
          });
    });
  });
}

/// Returns (offsets, ids, distances).
Tuple<py::array, py::array, py::array> rows_by_metric(const RadiusOptions& given,
                                                      const py::object& points,
                                                      const py::object& queries, MetricName name,
                                                      double p, std::int64_t n_coordinates,
                                                      bool in_boxes, MemoryBudget budget,
                                                      Progress progress) {
  RadiusOptions options = given;
  options.are_own = queries.is_none();
  NeighbourRows rows;
  dispatch_coordinate(points, [&]<class T>() {
    const Points<T> there(points, Device{});
    const Points<T> from(options.are_own ? points : queries, Device{});
    run_released(std::move(progress), [&] {
      rows = radius_by_metric(there.view(), from.view(), Metric{name, p, n_coordinates}, options,
                              in_boxes, budget);
    });
  });
  return py::make_tuple(to_array(std::move(rows.offsets)), to_array(std::move(rows.ids)),
                        to_array(std::move(rows.distances)));
}

}  // namespace

void init_metric_points(py::module_& module) {
  define(module, "nearest_by_metric", &find_nearest_by_metric,
         {"points", "queries", "metric", "p", "n_coordinates", "in_boxes", "neighbours",
          "distances", "farthest", "device", "ledger", "progress"},
         keyword("n_neighbors", &KnnOptions::n_neighbors),
         keyword("include_self", &KnnOptions::include_self));
  define(module, "radius_by_metric", &rows_by_metric,
         {"points", "queries", "metric", "p", "n_coordinates", "in_boxes", "ledger", "progress"},
         keyword("radius", &RadiusOptions::radius),
         keyword("include_self", &RadiusOptions::include_self),
         keyword("with_distances", &RadiusOptions::with_distances));
}

}  // namespace warpgraph
