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
                       const NeighboursView& out) {
  const int k = options.n_neighbors;
  const auto tree = make_metric_tree<MetricOf, D>(points, metric);
  for_each_neighbour_row(tree, k, options.include_self, [&](const NeighbourRow<double>& row) {
    out.put(row, k, [](double distance) { return distance; });
  });
}

/// Returns the bytes of search_own_leaves().
std::size_t bytes_of_own_leaves(const NumberRows& points, const Metric& metric,
                                const KnnOptions& options) {
  return with_metric_tree(metric, points.dimension, [&]<int D, class MetricOf>(MetricOf) {
    using Search = KnnSearch<double, D, MetricTree<MetricOf, D>>;
    const std::size_t dimension = D > 0 ? D : at(points.dimension);
    return metric_tree_bytes<MetricOf, D>(points) +
           at(num_threads()) * Search::bytes(options.n_neighbors + 1, dimension);
  });
}

/// Calls f(bytes, make) with the bytes of the class that compares queries with points, AllPairs or
/// PointQueries, and a function that makes an object of it.
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
std::size_t bytes_of_pairs(const Rows& points, const Metric& metric, bool in_boxes) {
  return with_pairs(points, points, metric, in_boxes,
                    [](std::size_t bytes, const auto&) { return bytes; });
}

template <class Rows>
std::size_t bytes_of_nearest(const Rows& points, const Metric& metric, const KnnOptions& options,
                             bool are_own, bool in_boxes) {
  if constexpr (std::is_same_v<Rows, NumberRows>) {
    if (in_boxes && are_own) return bytes_of_own_leaves(points, metric, options);
  }
  return bytes_of_pairs(points, metric, in_boxes) + NearestState::bytes(options);
}

MemoryNeed need_of_searching(std::int64_t n_queries, std::size_t bytes) {
  return {"searching the neighbours of " + std::to_string(n_queries) + " points", bytes,
          "pass fewer points"};
}

template <class Rows>
void find_nearest(const Rows& points, const Rows& queries, const Metric& metric,
                  const KnnOptions& options, bool are_own, bool in_boxes,
                  const NeighboursView& out) {
  if constexpr (std::is_same_v<Rows, NumberRows>) {
    if (in_boxes && are_own) {
      return with_metric_tree(metric, points.dimension, [&]<int D, class MetricOf>(MetricOf of) {
        search_own_leaves<MetricOf, D>(points, of, options, out);
      });
    }
  }
  with_pairs(points, queries, metric, in_boxes, [&](std::size_t, const auto& make) {
    make().run(NearestState(options, are_own, out), 0, queries.n_points);
  });
}

template <class Rows>
NeighbourRows find_within(const Rows& points, const Rows& queries, const Metric& metric,
                          const RadiusOptions& options, bool in_boxes, std::size_t needed,
                          MemoryBudget budget) {
  return with_pairs(points, queries, metric, in_boxes, [&](std::size_t, const auto& make) {
    const auto pairs = make();
    return rows_within([&](const RadiusState& state, std::int64_t done,
                           std::int64_t total) { pairs.run(state, done, total); },
                       queries.n_points, options, needed, budget);
  });
}

}  // namespace

template <class Coordinate>
MemoryNeed need_of_nearest_by_metric(PointsView<Coordinate> points, std::int64_t n_queries,
                                     const Metric& metric, const KnnOptions& options, bool are_own,
                                     bool in_boxes) {
  return need_of_searching(
      n_queries, bytes_of_nearest<RowsOf<Coordinate>>(points, metric, options, are_own, in_boxes));
}

template <class Coordinate>
void nearest_by_metric(PointsView<Coordinate> points, PointsView<Coordinate> queries,
                       const Metric& metric, const KnnOptions& options, bool are_own, bool in_boxes,
                       const NeighboursView& out, MemoryBudget budget) {
  budget.require(
      need_of_nearest_by_metric(points, queries.n_points, metric, options, are_own, in_boxes));
  find_nearest<RowsOf<Coordinate>>(points, queries, metric, options, are_own, in_boxes, out);
}

template <class Coordinate>
MemoryNeed need_of_radius_by_metric(PointsView<Coordinate> points, std::int64_t n_queries,
                                    const Metric& metric, bool in_boxes) {
  const std::size_t of_pairs = bytes_of_pairs<RowsOf<Coordinate>>(points, metric, in_boxes);
  return need_of_searching(n_queries, of_pairs + bytes_of_offsets(n_queries));
}

template <class Coordinate>
NeighbourRows radius_by_metric(PointsView<Coordinate> points, PointsView<Coordinate> queries,
                               const Metric& metric, const RadiusOptions& options, bool in_boxes,
                               MemoryBudget budget) {
  const MemoryNeed need = need_of_radius_by_metric(points, queries.n_points, metric, in_boxes);
  budget.require(need);
  return find_within<RowsOf<Coordinate>>(points, queries, metric, options, in_boxes, need.bytes,
                                         budget);
}

#define WARPGRAPH_INSTANTIATE_NEIGHBOURS(Coordinate)                    \
  WARPGRAPH_INSTANTIATE_FUNCTION(need_of_nearest_by_metric, Coordinate) \
  WARPGRAPH_INSTANTIATE_FUNCTION(nearest_by_metric, Coordinate)         \
  WARPGRAPH_INSTANTIATE_FUNCTION(need_of_radius_by_metric, Coordinate)  \
  WARPGRAPH_INSTANTIATE_FUNCTION(radius_by_metric, Coordinate)
WARPGRAPH_INSTANTIATE_NEIGHBOURS(float)
WARPGRAPH_INSTANTIATE_NEIGHBOURS(double)
WARPGRAPH_INSTANTIATE_NEIGHBOURS(std::uint64_t)
#undef WARPGRAPH_INSTANTIATE_NEIGHBOURS

}  // namespace warpgraph
