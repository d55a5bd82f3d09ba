#include "algorithms/emst/emst.hpp"
#include "algorithms/emst/kd_tree/kd_tree_boruvka_search.hpp"
#include "primitives/metric/metric_search.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

template <class MetricOf, int D>
std::optional<EuclideanTree> run_metric_tree(const NumberRows& points, MetricOf metric,
                                             const EmstOptions& options, MemoryBudget budget) {
  using Tree = MetricTree<MetricOf, D>;
  using Boruvka = emst::KdTreeBoruvka<double, D, Tree>;
  const std::size_t n = at(points.n_points);
  budget.require("the spanning tree of " + std::to_string(n) + " points",
                 metric_tree_bytes<MetricOf, D>(points) + Boruvka::bytes(n, options),
                 "pass fewer points");
  const Tree tree = make_metric_tree<MetricOf, D>(points, metric);
  HostVector<emst::Edge<double>> edges = Boruvka(tree, options).run();
  const bool vanishes =
      std::ranges::any_of(edges, [](const emst::Edge<double>& edge) { return edge.key == 0; });
  if (vanishes) return std::nullopt;
  EuclideanTree result = emst::to_euclidean_tree(std::move(edges), false);
  report_progress(2 * std::int64_t{points.n_points}, 2 * std::int64_t{points.n_points});
  return result;
}

std::optional<EuclideanTree> tree_in_boxes(const NumberRows& points, const Metric& metric,
                                           const EmstOptions& options, MemoryBudget budget) {
  return with_metric_tree(metric, points.dimension, [&]<int D, class MetricOf>(MetricOf of) {
    return run_metric_tree<MetricOf, D>(points, of, options, budget);
  });
}

}  // namespace

template <class T>
std::optional<EuclideanTree> emst_by_metric(PointsView<T> points, const Metric& metric,
                                            const EmstOptions& options, MemoryBudget budget) {
  return tree_in_boxes(points, metric, options, budget);
}

template std::optional<EuclideanTree> emst_by_metric<float>(PointsView<float>, const Metric&,
                                                            const EmstOptions&, MemoryBudget);
template std::optional<EuclideanTree> emst_by_metric<double>(PointsView<double>, const Metric&,
                                                             const EmstOptions&, MemoryBudget);

}  // namespace warpgraph
