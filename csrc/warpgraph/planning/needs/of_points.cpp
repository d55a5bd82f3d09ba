#include "algorithms/bottleneck_paths/bottleneck_paths.hpp"
#include "algorithms/emst/emst.hpp"
#include "algorithms/kmeans/kmeans.hpp"
#include "algorithms/metric_points/metric_points.hpp"
#include "warpgraph/planning/needs/memory_needs.hpp"
#include "warpgraph/planning/needs/planned_call.hpp"

#include <algorithm>

namespace warpgraph {
namespace needs {
namespace {

using plan::Facts;

/// Returns the points, whose coordinates must not be read.
template <class T>
PointsView<T> unread_points(const Facts& facts) {
  return {nullptr, static_cast<vertex_t>(facts.n_vertices), facts.n_dimensions};
}

template <class T>
Needs of_kmeans(const Facts& facts) {
  const WeightedPoints<T> points(unread_points<T>(facts));
  Needs needs;
  if (facts.n_uniforms > 0) {
    needs.push_back(need_of_plus_plus<T>(facts.n_vertices, static_cast<vertex_t>(facts.n_centres),
                                         facts.n_uniforms));
  }
  needs.push_back(need_of_kmeans(points, facts.n_centres));
  return needs;
}

EmstOptions tree_options(const Facts& facts) {
  return {static_cast<std::int32_t>(facts.min_samples), facts.alpha};
}

template <class T>
Needs of_tree(const Facts& facts) {
  return {need_of_emst(unread_points<T>(facts), tree_options(facts))};
}

template <class T>
Needs of_neighbours(const Facts& facts, const plan::Plan& plan) {
  if (plan.devices[0].is_cuda()) return {};
  const auto points = unread_points<T>(facts);
  const bool are_own = facts.n_new == 0;
  const bool by_products = plan.method == "products";
  if (facts.n_neighbors == 0) {
    RadiusOptions within;
    within.by_products = by_products;
    return {need_of_radius_neighbours(points, are_own ? facts.n_vertices : facts.n_new, within)};
  }
  const KnnOptions options{static_cast<std::int32_t>(facts.n_neighbors), true, by_products};
  if (are_own) return {need_of_knn(points, options)};
  return {need_of_nearest_of_queries(points, facts.n_new, options)};
}

/// Returns a metric with the same need of memory, which depends only on whether it takes powers.
Metric metric_like(const Facts& facts) {
  return {takes_powers(facts.metric) ? MetricName::minkowski : MetricName::manhattan, 2, 0};
}

template <class T>
Needs of_metric_tree(const Facts& facts, bool in_boxes) {
  const auto points = unread_points<T>(facts);
  const Metric metric = metric_like(facts);
  if (in_boxes) return {need_of_emst_by_metric(points, metric, tree_options(facts))};
  return {need_of_mst(PairsByMetric<T>{points, metric})};
}

template <class T>
Needs of_neighbours_by_metric(const Facts& facts, bool in_boxes) {
  const auto points = unread_points<T>(facts);
  const bool are_own = facts.n_new == 0;
  const std::int64_t n_queries = are_own ? facts.n_vertices : facts.n_new;
  const Metric metric = metric_like(facts);
  if (facts.n_neighbors == 0) {
    return {need_of_radius_by_metric(points, n_queries, metric, in_boxes)};
  }
  const KnnOptions options{static_cast<std::int32_t>(facts.n_neighbors)};
  return {need_of_nearest_by_metric(points, n_queries, metric, options, are_own, in_boxes)};
}

}  // namespace
}  // namespace needs

NeedsOfPlan needs_of_points(std::string_view algorithm, const plan::Facts& facts,
                            const plan::Request& request) {
  using needs::Needs;
  const bool is_single = request.distances == plan::Number::float32;
  if (algorithm == "euclidean_mst") {
    return [&facts, is_single](const plan::Plan&) {
      return is_single ? needs::of_tree<float>(facts) : needs::of_tree<double>(facts);
    };
  }
  if (algorithm == "tree_by_metric") {
    return [&facts, is_single](const plan::Plan& plan) {
      if (plan.devices[0].is_cuda()) return Needs{};
      const bool in_boxes = plan.method == "boxes";
      return is_single ? needs::of_metric_tree<float>(facts, in_boxes)
                       : needs::of_metric_tree<double>(facts, in_boxes);
    };
  }
  if (algorithm == "nearest_neighbors") {
    return [&facts, is_single](const plan::Plan& plan) {
      return is_single ? needs::of_neighbours<float>(facts, plan)
                       : needs::of_neighbours<double>(facts, plan);
    };
  }
  if (algorithm == "neighbours_by_metric") {
    return [&facts, is_single](const plan::Plan& plan) {
      if (plan.devices[0].is_cuda()) return Needs{};
      const bool in_boxes = plan.method == "boxes";
      return is_single ? needs::of_neighbours_by_metric<float>(facts, in_boxes)
                       : needs::of_neighbours_by_metric<double>(facts, in_boxes);
    };
  }
  if (algorithm == "kmeans") {
    return [&facts, is_single](const plan::Plan&) {
      return is_single ? needs::of_kmeans<float>(facts) : needs::of_kmeans<double>(facts);
    };
  }
  if (algorithm == "bottleneck_paths") {  // in a spanning forest, which is not a graph of the core
    return [&facts, &request](const plan::Plan&) {
      return needs::Needs{need_of_bottlenecks(static_cast<vertex_t>(facts.n_vertices),
                                              static_cast<std::size_t>(facts.n_arcs))};
    };
  }
  return [](const plan::Plan&) { return Needs{}; };
}

}  // namespace warpgraph
