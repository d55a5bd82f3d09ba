#include "algorithms/emst/emst.hpp"
#include "algorithms/emst/kd_tree/kd_tree_boruvka_search.hpp"
#include "core/containers/at.hpp"
#include "primitives/metric/metric_search.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

template <class MetricOf, int D>
using Boruvka = emst::KdTreeBoruvka<double, D, MetricTree<MetricOf, D>>;

template <class MetricOf, int D>
std::optional<EuclideanTree> run_metric_tree(const NumberRows& points, MetricOf metric,
                                             const EmstOptions& options) {
  const auto tree = make_metric_tree<MetricOf, D>(points, metric);
  HostVector<emst::Edge<double>> edges = Boruvka<MetricOf, D>(tree, options).run();
  const bool vanishes =
      std::ranges::any_of(edges, [](const emst::Edge<double>& edge) { return edge.key == 0; });
  if (vanishes) return std::nullopt;
  EuclideanTree result = emst::to_euclidean_tree(std::move(edges), false);
  report_progress(2 * std::int64_t{points.n_points}, 2 * std::int64_t{points.n_points});
  return result;
}

std::optional<EuclideanTree> tree_in_boxes(const NumberRows& points, const Metric& metric,
                                           const EmstOptions& options) {
  return with_metric_tree(metric, points.dimension, [&]<int D, class MetricOf>(MetricOf of) {
    return run_metric_tree<MetricOf, D>(points, of, options);
  });
}

std::size_t bytes_in_boxes(const NumberRows& points, const Metric& metric,
                           const EmstOptions& options) {
  return with_metric_tree(metric, points.dimension, [&]<int D, class MetricOf>(MetricOf) {
    return metric_tree_bytes<MetricOf, D>(points) +
           Boruvka<MetricOf, D>::bytes(at(points.n_points), options);
  });
}

}  // namespace

template <class T>
MemoryNeed need_of_emst_by_metric(PointsView<T> points, const Metric& metric,
                                  const EmstOptions& options) {
  return {"the spanning tree of " + std::to_string(points.n_points) + " points",
          bytes_in_boxes(points, metric, options), "pass fewer points"};
}

template <class T>
std::optional<EuclideanTree> emst_by_metric(PointsView<T> points, const Metric& metric,
                                            const EmstOptions& options, MemoryBudget budget) {
  budget.require(need_of_emst_by_metric(points, metric, options));
  return tree_in_boxes(points, metric, options);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(need_of_emst_by_metric)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(emst_by_metric)

}  // namespace warpgraph
