#include "algorithms/metric_points/all_pairs.hpp"
#include "algorithms/metric_points/metric_points.hpp"
#include "algorithms/metric_points/point_queries.hpp"
#include "primitives/kd_tree/knn_rows.hpp"
#include "primitives/nearest_heap.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace warpgraph {
namespace {

/// Keeps the nearest ones of each query, and writes them.
class NearestState {
 public:
  NearestState(const KnnOptions& options, bool are_own, const NeighboursView& out)
      : options_(options), are_own_(are_own), out_(out) {}

  void begin(std::int64_t first, std::int64_t last) {
    first_ = first;
    heaps_.assign(static_cast<std::size_t>(last - first), NearestHeap<double>(n_others()));
  }
  [[nodiscard]] double limit(std::int64_t q) const {
    return heaps_[static_cast<std::size_t>(q)].limit();
  }
  void visit(std::int64_t q, vertex_t id, double distance) {
    if (are_own_ && id == first_ + q) return;
    heaps_[static_cast<std::size_t>(q)].add(id, distance);
  }
  void end() {
    for (std::size_t q = 0; q < heaps_.size(); ++q) {
      const std::int64_t query = first_ + static_cast<std::int64_t>(q);
      std::int64_t place = query * options_.n_neighbors;
      if (has_self()) put(place++, static_cast<vertex_t>(query), 0);
      double last = 0;
      for (const auto& [distance, id] : heaps_[q].sorted()) put(place++, id, last = distance);
      if (out_.farthest != nullptr) out_.farthest[query] = last;
    }
  }

 private:
  [[nodiscard]] bool has_self() const { return are_own_ && options_.include_self; }
  [[nodiscard]] std::int32_t n_others() const {
    return options_.n_neighbors - (has_self() ? 1 : 0);
  }
  void put(std::int64_t place, vertex_t id, double distance) const {
    if (out_.neighbours != nullptr) out_.neighbours[place] = id;
    if (out_.distances != nullptr) out_.distances[place] = distance;
  }

  KnnOptions options_;
  bool are_own_;
  NeighboursView out_;
  std::int64_t first_ = 0;
  std::vector<NearestHeap<double>> heaps_;
};

/// Counts the neighbours within a radius.
class CountState {
 public:
  CountState(const RadiusOptions& options, std::int64_t* counts)
      : options_(options), counts_(counts) {}

  void begin(std::int64_t first, std::int64_t last) {
    first_ = first;
    std::fill(counts_ + first, counts_ + last, options_.are_own && !options_.include_self ? -1 : 0);
  }
  [[nodiscard]] double limit(std::int64_t) const { return options_.radius; }
  void visit(std::int64_t q, vertex_t, double) { ++counts_[first_ + q]; }
  void end() {}

 private:
  RadiusOptions options_;
  std::int64_t* counts_;
  std::int64_t first_ = 0;
};

/// Writes the neighbours within a radius.
class FillState {
 public:
  FillState(const RadiusOptions& options, NeighbourRows& rows) : options_(options), rows_(&rows) {}

  void begin(std::int64_t first, std::int64_t last) {
    first_ = first;
    found_.assign(static_cast<std::size_t>(last - first), {});
  }
  [[nodiscard]] double limit(std::int64_t) const { return options_.radius; }
  void visit(std::int64_t q, vertex_t id, double distance) {
    if (options_.are_own && id == first_ + q) return;
    found_[static_cast<std::size_t>(q)].emplace_back(distance, id);
  }
  void end() {
    for (std::size_t q = 0; q < found_.size(); ++q) {
      const std::size_t query = static_cast<std::size_t>(first_) + q;
      auto place = static_cast<std::size_t>(rows_->offsets[query]);
      if (options_.are_own && options_.include_self) put(place++, static_cast<vertex_t>(query), 0);
      std::sort(found_[q].begin(), found_[q].end());
      for (const auto& [distance, id] : found_[q]) put(place++, id, distance);
    }
  }

 private:
  void put(std::size_t place, vertex_t id, double distance) {
    rows_->ids[place] = id;
    if (options_.with_distances) rows_->distances[place] = distance;
  }

  RadiusOptions options_;
  NeighbourRows* rows_;
  std::int64_t first_ = 0;
  std::vector<std::vector<std::pair<double, vertex_t>>> found_;
};

/// The own neighbours of points, by boxes.
template <class MetricOf, int D, class Coordinate>
void search_own_leaves(PointsView<Coordinate> points, MetricOf metric, const KnnOptions& options,
                       const NeighboursView& out, const MemoryBudget& budget) {
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
                       const NeighboursView& out, const MemoryBudget& budget) {
  if constexpr (!std::is_same_v<Coordinate, std::uint64_t>) {
    if (in_boxes && are_own) {
      return with_metric_tree(metric, points.dimension, [&]<int D, class MetricOf>(MetricOf of) {
        search_own_leaves<MetricOf, D>(points, of, options, out, budget);
      });
    }
  }
  with_pairs(points, metric, in_boxes, [&]<class Pairs, class MetricOf>(MetricOf of) {
    const std::size_t heaps = static_cast<std::size_t>(num_threads()) * queries_of_tile *
                              static_cast<std::size_t>(options.n_neighbors) * sizeof(std::int64_t) *
                              2;
    budget.require("searching the neighbours of " + std::to_string(queries.n_points) + " points",
                   Pairs::bytes(points) + heaps, "pass fewer points");
    const Pairs pairs(points, queries, of);
    pairs.run(NearestState(options, are_own, out), 0, queries.n_points);
  });
}

template <class Coordinate>
NeighbourRows radius_by_metric(PointsView<Coordinate> points, PointsView<Coordinate> queries,
                               const Metric& metric, const RadiusOptions& options, bool in_boxes,
                               const MemoryBudget& budget) {
  return with_pairs(points, metric, in_boxes, [&]<class Pairs, class MetricOf>(MetricOf of) {
    const std::int64_t n = queries.n_points;
    const std::size_t needed =
        Pairs::bytes(points) + (static_cast<std::size_t>(n) + 1) * sizeof(std::int64_t);
    budget.require("searching the neighbours of " + std::to_string(n) + " points", needed,
                   "pass fewer points");
    const Pairs pairs(points, queries, of);
    NeighbourRows rows;
    rows.offsets.resize(static_cast<std::size_t>(n) + 1);
    rows.offsets[0] = 0;
    pairs.run(CountState(options, rows.offsets.data() + 1), 0, 2 * n);
    std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
    const auto found = static_cast<std::size_t>(rows.offsets.back());
    budget.require("storing " + std::to_string(found) + " neighbours",
                   needed + found * bytes_of_neighbour, "choose a smaller radius");
    rows.ids.resize(found);
    if (options.with_distances) rows.distances.resize(found);
    pairs.run(FillState(options, rows), n, 2 * n);
    return rows;
  });
}

#define WARPGRAPH_INSTANTIATE_NEIGHBOURS(Coordinate)                                             \
  template void nearest_by_metric<Coordinate>(PointsView<Coordinate>, PointsView<Coordinate>,    \
                                              const Metric&, const KnnOptions&, bool, bool,      \
                                              const NeighboursView&, const MemoryBudget&);       \
  template NeighbourRows radius_by_metric<Coordinate>(                                           \
      PointsView<Coordinate>, PointsView<Coordinate>, const Metric&, const RadiusOptions&, bool, \
      const MemoryBudget&);
WARPGRAPH_INSTANTIATE_NEIGHBOURS(float)
WARPGRAPH_INSTANTIATE_NEIGHBOURS(double)
WARPGRAPH_INSTANTIATE_NEIGHBOURS(std::uint64_t)
#undef WARPGRAPH_INSTANTIATE_NEIGHBOURS

}  // namespace warpgraph
