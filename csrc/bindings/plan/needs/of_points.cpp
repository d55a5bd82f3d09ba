#include "algorithms/bottleneck_paths/bottleneck_paths.hpp"
#include "algorithms/emst/emst.hpp"
#include "algorithms/kmeans/kmeans.hpp"
#include "algorithms/metric_points/metric_points.hpp"
#include "bindings/plan/needs/memory_needs.hpp"
#include "bindings/plan/needs/planned_call.hpp"

#include <algorithm>

namespace warpgraph {
namespace needs {
namespace {

using plan::Facts;

/// Returns n points whose coordinates must not be read. They are there: of other points, algorithms
/// would make copies.
template <class T>
PointsView<T> unread_points(std::int64_t n, const Facts& facts) {
  return {unread<T>(0).data(), static_cast<vertex_t>(n), facts.n_dimensions};
}

template <class T>
Needs of_kmeans(const Facts& facts) {
  const WeightedPoints<T> points(unread_points<T>(facts.n_vertices, facts));
  const auto n_centres = static_cast<vertex_t>(facts.n_centres);
  const MemoryBudget budget;
  Needs needs;
  if (facts.n_uniforms > 0) {
    const auto uniforms = unread<double>(facts.n_uniforms);
    needs = only(need_of([&] { (void)plus_plus_points(points, n_centres, uniforms, budget); }));
  }
  const auto start = unread<T>(facts.n_centres * facts.n_dimensions);
  std::ranges::move(only(need_of([&] { kmeans_cpu(points, start, {}, budget); })),
                    std::back_inserter(needs));
  return needs;
}

template <class T>
Needs of_tree(const Facts& facts) {
  const auto points = unread_points<T>(facts.n_vertices, facts);
  const EmstOptions options{static_cast<std::int32_t>(facts.min_samples), facts.alpha};
  return only(need_of([&] { emst_cpu(points, options, MemoryBudget()); }));
}

template <class T>
Needs of_neighbours(const Facts& facts, const plan::Plan& plan) {
  if (plan.devices[0].is_cuda()) return {};
  const auto points = unread_points<T>(facts.n_vertices, facts);
  const auto queries = unread_points<T>(facts.n_new, facts);
  const KnnOptions options{static_cast<std::int32_t>(facts.n_neighbors), true,
                           plan.method == "products"};
  RadiusOptions within;
  within.are_own = facts.n_new == 0;
  within.by_products = options.by_products;
  const MemoryBudget budget;
  return only(need_of([&] {
    if (facts.n_neighbors == 0) {
      (void)radius_neighbours(points, within.are_own ? points : queries, within, budget);
    } else if (facts.n_new == 0) {
      knn_cpu(points, options, {}, budget);
    } else {
      nearest_of_queries(points, queries, options, {}, budget);
    }
  }));
}

/// Returns a metric with the same need of memory, which depends only on whether it takes powers.
Metric metric_like(const Facts& facts) {
  return {takes_powers(facts.metric) ? MetricName::minkowski : MetricName::manhattan, 2, 0};
}

template <class T>
Needs of_metric_tree(const Facts& facts, bool in_boxes) {
  const auto points = unread_points<T>(facts.n_vertices, facts);
  const MemoryBudget budget;
  const Metric metric = metric_like(facts);
  const EmstOptions options{static_cast<std::int32_t>(facts.min_samples), facts.alpha};
  return only(need_of([&] {
    if (in_boxes) {
      (void)mst_in_boxes(points, metric, options, budget);
    } else {
      (void)mst_by_metric(points, metric, {}, MetricTreeOptions{}, budget);
    }
  }));
}

template <class T>
Needs of_neighbours_by_metric(const Facts& facts, bool in_boxes) {
  const auto points = unread_points<T>(facts.n_vertices, facts);
  const bool are_own = facts.n_new == 0;
  const auto queries = are_own ? points : unread_points<T>(facts.n_new, facts);
  const MemoryBudget budget;
  const Metric metric = metric_like(facts);
  return only(need_of([&] {
    if (facts.n_neighbors == 0) {
      (void)radius_by_metric(points, queries, metric, RadiusOptions{}, in_boxes, budget);
    } else {
      const KnnOptions options{static_cast<std::int32_t>(facts.n_neighbors)};
      nearest_by_metric(points, queries, metric, options, are_own, in_boxes, {}, budget);
    }
  }));
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
