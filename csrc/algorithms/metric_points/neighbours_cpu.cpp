#include "algorithms/metric_points/metric_points.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/metric/column_blocks.hpp"
#include "primitives/nearest_heap.hpp"

#include <atomic>
#include <numeric>
#include <string>
#include <vector>

namespace warpgraph {
namespace {

/// Queries that share a block of points while it is in the cache.
constexpr std::int64_t queries_of_tile = 16;

/// Compares queries with all points.
template <class MetricOf, class Coordinate>
class AllPairs {
 public:
  using Item = typename MetricOf::Item;

  AllPairs(PointsView<Coordinate> points, PointsView<Coordinate> queries, MetricOf metric)
      : n_points_(points.n_points), queries_(queries), blocks_(points, metric) {}

  static std::size_t bytes(PointsView<Coordinate> points) {
    const auto width = static_cast<std::size_t>(points.dimension);
    return ColumnBlocks<MetricOf>::bytes(points.n_points, points.dimension) +
           static_cast<std::size_t>(num_threads()) * queries_of_tile * width * sizeof(Item);
  }

  /// Calls begin(tile's queries), visit(place in the tile, id, distance) for the pairs with
  /// distances of at most limit(place), and end(), on a copy of `state` for each block of a loop.
  template <class State>
  void run(const State& prototype, std::int64_t done, std::int64_t total) const {
    const std::int64_t n = queries_.n_points;
    std::atomic<std::int64_t> finished{done};
    parallel_blocks(n, queries_of_tile, [&](int, std::int64_t first, std::int64_t last) {
      State state = prototype;
      std::vector<Item> tile;
      for (std::int64_t i = first; i < last; i += queries_of_tile) {
        const std::int64_t end = std::min(last, i + queries_of_tile);
        read_tile(i, end, tile);
        state.begin(i, end);
        compare(state, tile, end - i);
        state.end();
      }
      report_progress(finished.fetch_add(last - first, std::memory_order_relaxed), total);
    });
    report_progress(done + n, total);
  }

 private:
  void read_tile(std::int64_t first, std::int64_t last, std::vector<Item>& tile) const {
    tile.clear();
    for (std::int64_t i = first; i < last; ++i) {
      const Coordinate* row = queries_.row(i);
      for (std::int64_t k = 0; k < queries_.dimension; ++k) {
        tile.push_back(static_cast<Item>(row[k]));
      }
    }
  }

  template <class State>
  void compare(State& state, const std::vector<Item>& tile, std::int64_t n_queries) const {
    BlockDistances distances;
    for (std::int64_t block = 0; block < blocks_.n_blocks(n_points_); ++block) {
      if (block % 64 == 63) poll();
      const std::int64_t first = block * block_lanes;
      const std::int64_t count = std::min(block_lanes, n_points_ - first);
      for (std::int64_t q = 0; q < n_queries; ++q) {
        blocks_.distances(tile.data() + q * blocks_.width(), block, distances);
        for (std::int64_t j = 0; j < count; ++j) {
          const double distance = distances[static_cast<std::size_t>(j)];
          if (distance <= state.limit(q)) {
            state.visit(q, static_cast<vertex_t>(first + j), distance);
          }
        }
      }
    }
  }

  vertex_t n_points_;
  PointsView<Coordinate> queries_;
  ColumnBlocks<MetricOf> blocks_;
};

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

}  // namespace

template <class Coordinate>
void nearest_by_metric(PointsView<Coordinate> points, PointsView<Coordinate> queries,
                       const Metric& metric, const KnnOptions& options, bool are_own,
                       const NeighboursView& out, const MemoryBudget& budget) {
  with_metric<Coordinate>(metric, [&]<class MetricOf>(MetricOf of) {
    using Pairs = AllPairs<MetricOf, Coordinate>;
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
                               const Metric& metric, const RadiusOptions& options,
                               const MemoryBudget& budget) {
  return with_metric<Coordinate>(metric, [&]<class MetricOf>(MetricOf of) {
    using Pairs = AllPairs<MetricOf, Coordinate>;
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

#define WARPGRAPH_INSTANTIATE_NEIGHBOURS(Coordinate)                                          \
  template void nearest_by_metric<Coordinate>(PointsView<Coordinate>, PointsView<Coordinate>, \
                                              const Metric&, const KnnOptions&, bool,         \
                                              const NeighboursView&, const MemoryBudget&);    \
  template NeighbourRows radius_by_metric<Coordinate>(PointsView<Coordinate>,                 \
                                                      PointsView<Coordinate>, const Metric&,  \
                                                      const RadiusOptions&, const MemoryBudget&);
WARPGRAPH_INSTANTIATE_NEIGHBOURS(float)
WARPGRAPH_INSTANTIATE_NEIGHBOURS(double)
WARPGRAPH_INSTANTIATE_NEIGHBOURS(std::uint64_t)
#undef WARPGRAPH_INSTANTIATE_NEIGHBOURS

}  // namespace warpgraph
