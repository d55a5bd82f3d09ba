// Searches in a MetricTree, compiled for the metrics and dimensions that it is made for.
#pragma once

#include "primitives/kd_tree/knn_search.hpp"
#include "primitives/kd_tree/point_search.hpp"
#include "primitives/metric/metric_tree.hpp"

#include <algorithm>

namespace warpgraph {

/// Calls f.operator()<D>(metric) for the D of a MetricTree for points of this dimension: the least
/// one that is compiled and not less, or 0 for many dimensions, where vectors are short, and for
/// minkowski, whose powers take most of the time.
template <class F>
auto with_metric_tree(const Metric& metric, std::int64_t dimension, F&& f) {
  const auto with_dimension_of = [&]<class MetricOf>(MetricOf of) {
    if (dimension > 6 || has_only_short_vectors()) return f.template operator()<0>(of);
    if (dimension <= 2) return f.template operator()<2>(of);
    if (dimension == 3) return f.template operator()<3>(of);
    if (dimension == 4) return f.template operator()<4>(of);
    return f.template operator()<6>(of);
  };
  EXPECTS(has_box_bounds(metric.name), "no boxes bound distances by this metric");
  if (metric.name == MetricName::manhattan) return with_dimension_of(metrics::Manhattan{});
  if (metric.name == MetricName::chebyshev) return with_dimension_of(metrics::Chebyshev{});
  return f.template operator()<0>(metrics::Minkowski(metric.p));
}

/// Returns the bytes of a tree, and of the points in double.
template <class MetricOf, int D, class T>
std::size_t metric_tree_bytes(PointsView<T> points) {
  const auto n = static_cast<std::size_t>(points.n_points);
  const auto dimension = static_cast<std::size_t>(D > 0 ? D : points.dimension);
  const std::size_t copies = std::is_same_v<T, double> ? 0 : n * dimension * sizeof(double);
  return MetricTree<MetricOf, D>::bytes(n, dimension) + copies;
}

template <class MetricOf, int D, class T>
MetricTree<MetricOf, D> make_metric_tree(PointsView<T> points, MetricOf metric) {
  if constexpr (std::is_same_v<T, double>) {
    return MetricTree<MetricOf, D>(points, metric);
  } else {
    const std::int64_t count = points.n_points * points.dimension;
    HostVector<double> coordinates(static_cast<std::size_t>(count));
    parallel_for(count, [&](std::int64_t i) {
      coordinates[static_cast<std::size_t>(i)] = static_cast<double>(points.coordinates[i]);
    });
    return MetricTree<MetricOf, D>({coordinates.data(), points.n_points, points.dimension}, metric);
  }
}

#define WARPGRAPH_METRIC_SEARCH(Template, MetricOf, D)                        \
  Template KnnSearch<double, D, MetricTree<metrics::MetricOf, D>>::KnnSearch( \
      const MetricTree<metrics::MetricOf, D>&, int, bool);                    \
  Template void KnnSearch<double, D, MetricTree<metrics::MetricOf, D>>::run(std::int32_t);
#define WARPGRAPH_METRIC_SEARCHES(Template, MetricOf) \
  WARPGRAPH_METRIC_SEARCH(Template, MetricOf, 2)      \
  WARPGRAPH_METRIC_SEARCH(Template, MetricOf, 3)      \
  WARPGRAPH_METRIC_SEARCH(Template, MetricOf, 4)      \
  WARPGRAPH_METRIC_SEARCH(Template, MetricOf, 6)      \
  WARPGRAPH_METRIC_SEARCH(Template, MetricOf, 0)
WARPGRAPH_METRIC_SEARCHES(extern template, Manhattan)
WARPGRAPH_METRIC_SEARCHES(extern template, Chebyshev)
WARPGRAPH_METRIC_SEARCH(extern template, Minkowski, 0)

}  // namespace warpgraph
