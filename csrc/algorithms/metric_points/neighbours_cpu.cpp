#include "algorithms/metric_points/all_pairs.hpp"
#include "algorithms/metric_points/metric_points.hpp"
#include "algorithms/metric_points/pair_states.hpp"
#include "algorithms/metric_points/point_queries.hpp"
#include "primitives/kd_tree/knn_rows.hpp"

#include <string>

namespace warpgraph {
namespace {

/// Finds the neighbours of the points among themselves, in boxes.
template <class MetricOf, int D, class Coordinate>
void search_own_leaves(PointsView<Coordinate> points, MetricOf metric, const KnnOptions& options,
                       const NeighboursView& out, MemoryBudget budget) {
  using Search = KnnSearch<double, D, MetricTree<MetricOf, D>>;
  const auto dimension = static_cast<std::size_t>(D > 0 ? D : points.dimension);
  const int k = options.n_neighbors;
  budget.require("searching the neighbours of " + std::to_string(points.n_points) + " points",
                 metric_tree_bytes<MetricOf, D>(points) +
                     static_cast<std::size_t>(num_threads()) * Search::bytes(k + 1, dimension),
                 "pass fewer points");
  const auto tree = make_metric_tree<MetricOf, D>(points, metric);
  for_each_neighbour_row(tree, k, options.include_self, [&](const auto& row) {
    out.put(row, k, [](double distance) { return distance; });
  });
}

/// Calls f(pairs) with an object that compares the queries with points: AllPairs or PointQueries.
template <class Coordinate, class F>
auto with_pairs(PointsView<Coordinate> points, const Metric& metric, bool in_boxes, F&& f) {
  if constexpr (!std::is_same_v<Coordinate, std::uint64_t>) {
    if (in_boxes) {
      return with_metric_tree(metric, points.dimension, [&]<int D, class MetricOf>(MetricOf of) {
        return f.template operator()<PointQueries<MetricOf, D, Coordinate>>(of);
      });
    }
  }
  return with_metric<Coordinate>(metric, [&]<class MetricOf>(MetricOf of) {
    return f.template operator()<AllPairs<MetricOf, Coordinate>>(of);
  });
}

}  // namespace

template <class Coordinate>
void nearest_by_metric(PointsView<Coordinate> points, PointsView<Coordinate> queries,
                       const Metric& metric, const KnnOptions& options, bool are_own, bool in_boxes,
                       const NeighboursView& out, MemoryBudget budget) {
  if constexpr (!std::is_same_v<Coordinate, std::uint64_t>) {
    if (in_boxes && are_own) {
      return with_metric_tree(metric, points.dimension, [&]<int D, class MetricOf>(MetricOf of) {
        search_own_leaves<MetricOf, D>(points, of, options, out, budget);
      });
    }
  }
  with_pairs(points, metric, in_boxes, [&]<class Pairs, class MetricOf>(MetricOf of) {
    budget.require("searching the neighbours of " + std::to_string(queries.n_points) + " points",
                   Pairs::bytes(points) + NearestState::bytes(options), "pass fewer points");
    const Pairs pairs(points, queries, of);
    pairs.run(NearestState(options, are_own, out), 0, queries.n_points);
  });
}

template <class Coordinate>
NeighbourRows radius_by_metric(PointsView<Coordinate> points, PointsView<Coordinate> queries,
                               const Metric& metric, const RadiusOptions& options, bool in_boxes,
                               MemoryBudget budget) {
  return with_pairs(points, metric, in_boxes, [&]<class Pairs, class MetricOf>(MetricOf of) {
    const std::int64_t n = queries.n_points;
    const std::size_t needed = Pairs::bytes(points) + bytes_of_offsets(n);
    budget.require("searching the neighbours of " + std::to_string(n) + " points", needed,
                   "pass fewer points");
    return rows_within(Pairs(points, queries, of), n, options, needed, budget);
  });
}

#define WARPGRAPH_INSTANTIATE_NEIGHBOURS(Coordinate)                                          \
  template void nearest_by_metric<Coordinate>(PointsView<Coordinate>, PointsView<Coordinate>, \
                                              const Metric&, const KnnOptions&, bool, bool,   \
                                              const NeighboursView&, MemoryBudget);           \
  template NeighbourRows radius_by_metric<Coordinate>(PointsView<Coordinate>,                 \
                                                      PointsView<Coordinate>, const Metric&,  \
                                                      const RadiusOptions&, bool, MemoryBudget);
WARPGRAPH_INSTANTIATE_NEIGHBOURS(float)
WARPGRAPH_INSTANTIATE_NEIGHBOURS(double)
WARPGRAPH_INSTANTIATE_NEIGHBOURS(std::uint64_t)
#undef WARPGRAPH_INSTANTIATE_NEIGHBOURS

}  // namespace warpgraph
