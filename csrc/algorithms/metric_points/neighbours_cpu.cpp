#include "algorithms/metric_points/all_pairs.hpp"
#include "algorithms/metric_points/metric_points.hpp"
#include "algorithms/metric_points/pair_states.hpp"
#include "algorithms/metric_points/point_queries.hpp"
#include "primitives/kd_tree/knn_rows.hpp"

#include <string>

namespace warpgraph {
namespace {

/// Finds the neighbours of the points among themselves, in boxes.
template <class MetricOf, int D>
void search_own_leaves(const NumberRows& points, MetricOf metric, const KnnOptions& options,
                       const NeighboursView& out, MemoryBudget budget) {
  using Search = KnnSearch<double, D, MetricTree<MetricOf, D>>;
  const std::size_t dimension = D > 0 ? D : at(points.dimension);
  const int k = options.n_neighbors;
  budget.require(
      "searching the neighbours of " + std::to_string(points.n_points) + " points",
      metric_tree_bytes<MetricOf, D>(points) + at(num_threads()) * Search::bytes(k + 1, dimension),
      "pass fewer points");
  const auto tree = make_metric_tree<MetricOf, D>(points, metric);
  for_each_neighbour_row(tree, k, options.include_self, [&](const NeighbourRow<double>& row) {
    out.put(row, k, [](double distance) { return distance; });
  });
}

/// Calls f(pairs) with the class that compares queries with points, AllPairs or PointQueries, and
/// a function that makes an object of it.
template <class Rows, class F>
auto with_pairs(const Rows& points, const Rows& queries, const Metric& metric, bool in_boxes,
                F&& f) {
  if constexpr (std::is_same_v<Rows, NumberRows>) {
    if (in_boxes) {
      return with_metric_tree(metric, points.dimension, [&]<int D, class MetricOf>(MetricOf of) {
        using Pairs = PointQueries<MetricOf, D>;
        return f(Pairs::bytes(points), [&] { return Pairs(points, queries, of); });
      });
    }
  }
  using Pairs = AllPairs<Rows>;
  return f(Pairs::bytes(points), [&] { return Pairs(points, queries, metric); });
}

template <class Rows>
void find_nearest(const Rows& points, const Rows& queries, const Metric& metric,
                  const KnnOptions& options, bool are_own, bool in_boxes, const NeighboursView& out,
                  MemoryBudget budget) {
  if constexpr (std::is_same_v<Rows, NumberRows>) {
    if (in_boxes && are_own) {
      return with_metric_tree(metric, points.dimension, [&]<int D, class MetricOf>(MetricOf of) {
        search_own_leaves<MetricOf, D>(points, of, options, out, budget);
      });
    }
  }
  with_pairs(points, queries, metric, in_boxes, [&](std::size_t bytes, const auto& make) {
    budget.require("searching the neighbours of " + std::to_string(queries.n_points) + " points",
                   bytes + NearestState::bytes(options), "pass fewer points");
    make().run(NearestState(options, are_own, out), 0, queries.n_points);
  });
}

template <class Rows>
NeighbourRows find_within(const Rows& points, const Rows& queries, const Metric& metric,
                          const RadiusOptions& options, bool in_boxes, MemoryBudget budget) {
  return with_pairs(points, queries, metric, in_boxes, [&](std::size_t bytes, const auto& make) {
    const std::int64_t n = queries.n_points;
    const std::size_t needed = bytes + bytes_of_offsets(n);
    budget.require("searching the neighbours of " + std::to_string(n) + " points", needed,
                   "pass fewer points");
    const auto pairs = make();
    return rows_within([&](const RadiusState& state, std::int64_t done,
                           std::int64_t total) { pairs.run(state, done, total); },
                       n, options, needed, budget);
  });
}

}  // namespace

template <class Coordinate>
void nearest_by_metric(PointsView<Coordinate> points, PointsView<Coordinate> queries,
                       const Metric& metric, const KnnOptions& options, bool are_own, bool in_boxes,
                       const NeighboursView& out, MemoryBudget budget) {
  find_nearest<RowsOf<Coordinate>>(points, queries, metric, options, are_own, in_boxes, out,
                                   budget);
}

template <class Coordinate>
NeighbourRows radius_by_metric(PointsView<Coordinate> points, PointsView<Coordinate> queries,
                               const Metric& metric, const RadiusOptions& options, bool in_boxes,
                               MemoryBudget budget) {
  return find_within<RowsOf<Coordinate>>(points, queries, metric, options, in_boxes, budget);
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
