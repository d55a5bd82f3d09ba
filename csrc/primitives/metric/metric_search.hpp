// Searches in a MetricTree, compiled for the metrics and dimensions that it is made for.
#pragma once

#include "primitives/kd_tree/knn_search.hpp"
#include "primitives/kd_tree/point_search.hpp"
#include "primitives/metric/metric_tree.hpp"
#include "primitives/metric/number_rows.hpp"

#include <algorithm>

namespace warpgraph {

/// Calls f.operator()<D>(metric) for the D of a MetricTree for points of this dimension: the least
/// one that is compiled and not less, or 0 for many dimensions, where vectors are short, and for
/// minkowski, whose powers take most of the time.
template <class F>
auto with_metric_tree(const Metric& metric, std::int64_t dimension, F&& f) {
  const auto with_dimension_of = [&]<class MetricOf>(MetricOf of) {
    if (dimension > 3 || has_only_short_vectors()) return f.template operator()<0>(of);
    if (dimension <= 2) return f.template operator()<2>(of);
    return f.template operator()<3>(of);
  };
  EXPECTS(has_box_bounds(metric.name), "no boxes bound distances by this metric");
  if (metric.name == MetricName::manhattan) return with_dimension_of(metrics::Manhattan{});
  if (metric.name == MetricName::chebyshev) return with_dimension_of(metrics::Chebyshev{});
  return f.template operator()<0>(metrics::Minkowski(metric.p));
}

/// Returns the bytes of a tree, and of the points in double.
template <class MetricOf, int D>
std::size_t metric_tree_bytes(const NumberRows& points) {
  const std::size_t dimension = D > 0 ? D : at(points.dimension);
  return MetricTree<MetricOf, D>::bytes(at(points.n_points), dimension) + points.bytes_of_doubles();
}

template <class MetricOf, int D>
MetricTree<MetricOf, D> make_metric_tree(const NumberRows& points, MetricOf metric) {
  HostVector<double> copy;
  return MetricTree<MetricOf, D>(points.doubles(copy), metric);
}

#define WARPGRAPH_METRIC_SEARCH(Template, MetricOf, D)                        \
  Template KnnSearch<double, D, MetricTree<metrics::MetricOf, D>>::KnnSearch( \
      const MetricTree<metrics::MetricOf, D>&, int, bool);                    \
  Template void KnnSearch<double, D, MetricTree<metrics::MetricOf, D>>::run(std::int32_t);
#define WARPGRAPH_METRIC_SEARCHES(Template, MetricOf) \
  WARPGRAPH_METRIC_SEARCH(Template, MetricOf, 2)      \
  WARPGRAPH_METRIC_SEARCH(Template, MetricOf, 3)      \
  WARPGRAPH_METRIC_SEARCH(Template, MetricOf, 0)
WARPGRAPH_METRIC_SEARCHES(extern template, Manhattan)
WARPGRAPH_METRIC_SEARCHES(extern template, Chebyshev)
WARPGRAPH_METRIC_SEARCH(extern template, Minkowski, 0)

}  // namespace warpgraph
