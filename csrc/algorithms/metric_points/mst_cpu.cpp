#include "algorithms/metric_points/metric_points.hpp"
#include "core/containers/at.hpp"
#include "core/polls_only.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/metric/column_blocks.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

namespace warpgraph {
namespace {

/// Coordinates that a thread compares at a time: some microseconds.
constexpr std::int64_t coordinates_per_task = 1 << 15;
/// Coordinates that take as long as a given distance, which comes from memory and not a cache.
constexpr std::int64_t coordinates_per_distance = 8;

/// The lightest edge from a vertex outside into the tree, at the vertex's place.
struct Lightest {
  double weight = infinity<double>();
  double apart = 0;              // decides between equal weights
  vertex_t smaller = no_vertex;  // no_vertex: no edge yet
  vertex_t larger = no_vertex;
  std::int64_t place = -1;

  [[nodiscard]] auto key() const noexcept { return std::tie(weight, apart, smaller, larger); }
  [[nodiscard]] bool is_after(const Lightest& other) const noexcept {
    if (smaller == no_vertex || other.smaller == no_vertex) return other.smaller != no_vertex;
    return other.key() < key();
  }
};

/// Points in blocks, outside of a growing tree, and the newest point inside.
template <class Rows>
class PointsOutside {
 public:
  using Item = typename Rows::Item;

  PointsOutside(const Rows& points, const Metric& metric)
      : blocks_(make_point_blocks(points, metric)), newest_(at(points.dimension)) {}

  static std::size_t bytes(const Rows& points) {
    return PointBlocks<Item>::bytes(points.n_points, points.dimension);
  }
  /// Returns coordinates that take as long to compare as a block.
  [[nodiscard]] std::int64_t work_of_block() const noexcept {
    return block_lanes * std::max<std::int64_t>(blocks_->width(), 1);
  }
  /// Makes the point at `place` the newest one inside, and moves that at place `last` to its place.
  void take(std::int64_t place, std::int64_t last) noexcept {
    blocks_->copy_point(place, newest_.data());
    blocks_->move_point(last, place);
  }
  /// Computes the distances from the newest point inside to those of a block.
  void distances(std::int64_t block, BlockDistances& to) const {
    blocks_->distances(newest_.data(), block, to);
  }

 private:
  std::unique_ptr<PointBlocks<Item>> blocks_;
  std::vector<Item> newest_;
};

/// The columns of the vertices outside of a growing tree, and the row of the newest one inside.
template <class T>
class ColumnsOutside {
 public:
  explicit ColumnsOutside(const GivenPairs<T>& pairs)
      : distances_(pairs.distances), columns_(places(std::ssize(pairs.rows)), 0) {
    std::ranges::copy(pairs.rows, columns_.begin());
  }

  static std::size_t bytes(std::int64_t n) { return places(n) * sizeof(vertex_t); }
  [[nodiscard]] static std::int64_t work_of_block() noexcept {
    return block_lanes * coordinates_per_distance;
  }
  void take(std::int64_t place, std::int64_t last) noexcept {
    newest_ = distances_.row(columns_[at(place)]);
    columns_[at(place)] = columns_[at(last)];
  }
  void distances(std::int64_t block, BlockDistances& to) const noexcept {
    const vertex_t* const columns = columns_.data() + block * block_lanes;
    for (std::size_t j = 0; j < to.size(); ++j) to[j] = static_cast<double>(newest_[columns[j]]);
  }

 private:
  /// Returns the places for n columns: those of whole blocks, of which some stay at column 0.
  static std::size_t places(std::int64_t n) {
    return at((n + block_lanes - 1) / block_lanes * block_lanes);
  }

  DistanceMatrix<T> distances_;
  std::vector<vertex_t> columns_;
  const T* newest_ = nullptr;
};

/// Prim's algorithm; vertices that join the tree leave `outside`.
template <class Outside>
class GrowingTree {
 public:
  GrowingTree(std::int64_t n, Outside outside, std::span<const double> cores,
              const MetricTreeOptions& options)
      : n_(n),
        options_(options),
        alpha_(options.alpha),
        outside_(std::move(outside)),
        ids_(at(n_)),
        cores_(at(n_), 0),
        weights_(at(n_), infinity<double>()),
        apart_(at(n_), 0),
        inside_(at(n_), no_vertex) {
    std::iota(ids_.begin(), ids_.end(), 0);
    std::copy(cores.begin(), cores.end(), cores_.begin());
  }

  /// Returns the bytes beside those of the points outside.
  static std::size_t bytes(std::int64_t n) {
    constexpr std::size_t of_a_vertex = 4 * sizeof(vertex_t) + 4 * sizeof(double);
    return at(n) * (of_a_vertex + sizeof(Lightest));
  }

  std::vector<Lightest> run() {
    std::vector<Lightest> edges;
    edges.reserve(at(n_) - 1);
    std::int64_t joining = 0;
    for (std::int64_t n_outside = n_ - 1; n_outside > 0; --n_outside) {
      take(joining, n_outside);
      const Lightest next = relax(n_outside);
      edges.push_back(next);
      joining = next.place;
      report_progress(n_ - n_outside, n_);
    }
    return edges;
  }

 private:
  /// Moves the vertex at `place` into the tree, and that at place `last` to its place.
  void take(std::int64_t place, std::int64_t last) {
    outside_.take(place, last);
    newest_ = ids_[at(place)];
    core_ = cores_[at(place)];
    ids_[at(place)] = ids_[at(last)];
    cores_[at(place)] = cores_[at(last)];
    weights_[at(place)] = weights_[at(last)];
    apart_[at(place)] = apart_[at(last)];
    inside_[at(place)] = inside_[at(last)];
  }

  /// Compares the newest vertex with all outside; returns the lightest edge of all.
  Lightest relax(std::int64_t n_outside) {
    const std::int64_t n_blocks = (n_outside + block_lanes - 1) / block_lanes;
    const std::int64_t grain =
        std::max<std::int64_t>(coordinates_per_task / outside_.work_of_block(), 1);
    return parallel_reduce(
        n_blocks, Lightest{}, [&](std::int64_t block) { return relax_block(block, n_outside); },
        [](const Lightest& a, const Lightest& b) { return a.is_after(b) ? b : a; }, grain);
  }

  Lightest relax_block(std::int64_t block, std::int64_t n_outside) {
    BlockDistances distances;
    outside_.distances(block, distances);
    Lightest best;
    const std::int64_t first = block * block_lanes;
    const std::int64_t last = std::min(n_outside, first + block_lanes);
    for (std::int64_t i = first; i < last; ++i) {
      const double apart = distances[at(i - first)];
      const double reach = std::max(core_, cores_[at(i)]);
      const double weight = std::max(alpha_ == 1 ? apart : apart / alpha_, reach);
      if (weight <= weights_[at(i)]) take_lighter(i, weight, options_.by_distance ? apart : 0);
      const Lightest edge = edge_at(i, inside_[at(i)], weights_[at(i)], apart_[at(i)]);
      if (best.is_after(edge)) best = edge;
    }
    return best;
  }

  void take_lighter(std::int64_t i, double weight, double apart) {
    const Lightest before = edge_at(i, inside_[at(i)], weights_[at(i)], apart_[at(i)]);
    if (!before.is_after(edge_at(i, newest_, weight, apart))) return;
    weights_[at(i)] = weight;
    apart_[at(i)] = apart;
    inside_[at(i)] = newest_;
  }

  [[nodiscard]] Lightest edge_at(std::int64_t place, vertex_t inside, double weight,
                                 double apart) const {
    if (inside == no_vertex) return {};
    const auto [smaller, larger] = std::minmax(inside, ids_[at(place)]);
    return {weight, apart, smaller, larger, place};
  }

  const std::int64_t n_;
  const MetricTreeOptions options_;
  const double alpha_;
  Outside outside_;
  HostVector<vertex_t> ids_;
  std::vector<double> cores_;
  std::vector<double> weights_;
  std::vector<double> apart_;  // 0, unless it decides between equal weights
  std::vector<vertex_t> inside_;
  vertex_t newest_ = 0;  // of the tree
  double core_ = 0;
};

DenseForest in_order(std::vector<Lightest> edges) {
  parallel_sort(edges.begin(), edges.end(),
                [](const Lightest& a, const Lightest& b) { return a.key() < b.key(); });
  DenseForest forest;
  for (const Lightest& edge : edges) {
    if (edge.weight == infinity<double>()) break;
    forest.ends.push_back(edge.smaller);
    forest.ends.push_back(edge.larger);
    forest.weights.push_back(edge.weight);
  }
  return forest;
}

/// Calls f(n, bytes, make), where make() returns what is outside of a tree of n vertices.
template <class Coordinate, class F>
auto with_outside(const PairsByMetric<Coordinate>& pairs, const F& f) {
  using Outside = PointsOutside<RowsOf<Coordinate>>;
  const RowsOf<Coordinate> points(pairs.points);
  return f(points.n_points, Outside::bytes(points), [&] { return Outside(points, pairs.metric); });
}

template <class T, class F>
auto with_outside(const GivenPairs<T>& pairs, const F& f) {
  const std::int64_t n = std::ssize(pairs.rows);
  return f(n, ColumnsOutside<T>::bytes(n), [&] { return ColumnsOutside<T>(pairs); });
}

}  // namespace

template <class Pairs>
MemoryNeed need_of_mst(const Pairs& pairs) {
  return with_outside(pairs, []<class Make>(std::int64_t n, std::size_t bytes, const Make&) {
    using Tree = GrowingTree<std::invoke_result_t<Make>>;
    return MemoryNeed{"the spanning tree of " + std::to_string(n) + " points",
                      bytes + Tree::bytes(n), "pass fewer points"};
  });
}

template <class Pairs>
DenseForest mst_of_pairs(const Pairs& pairs, std::span<const double> cores,
                         const MetricTreeOptions& options, MemoryBudget budget) {
  budget.require(need_of_mst(pairs));
  return with_outside(pairs, [&](std::int64_t n, std::size_t, const auto& make) {
    GrowingTree<decltype(make())> tree(n, make(), cores, options);
    std::vector<Lightest> edges;
    with_spinning_pool([&] { edges = tree.run(); });
    return in_order(std::move(edges));
  });
}

template <class Coordinate>
DenseForest mst_with_cores(PointsView<Coordinate> points, const Metric& metric,
                           const EmstOptions& options, bool in_boxes, MemoryBudget budget) {
  std::vector<double> cores;
  if (options.min_samples > 1) {
    PollsOnly hooks;  // the tree alone reports progress
    const ScopedHooks installed(hooks);
    cores.resize(at(points.n_points));
    nearest_by_metric(points, points, metric, KnnOptions{options.min_samples, true}, true, in_boxes,
                      NeighboursView{nullptr, nullptr, cores.data()}, budget);
  }
  return mst_by_metric<Coordinate>(points, metric, cores, {options.alpha, false}, budget);
}

template <class Coordinate>
DenseForest mst_in_boxes(PointsView<Coordinate> points, const Metric& metric,
                         const EmstOptions& options, MemoryBudget budget) {
  const auto tree = emst_by_metric(points, metric, options, budget);
  if (!tree) return mst_with_cores(points, metric, options, true, budget);
  // Weights are in ascending order.
  const auto end = std::lower_bound(tree->weights.begin(), tree->weights.end(), infinity<double>());
  const auto n_edges = end - tree->weights.begin();
  return {{tree->edges.begin(), tree->edges.begin() + 2 * n_edges}, {tree->weights.begin(), end}};
}

template DenseForest mst_in_boxes<float>(PointsView<float>, const Metric&, const EmstOptions&,
                                         MemoryBudget);
template DenseForest mst_in_boxes<double>(PointsView<double>, const Metric&, const EmstOptions&,
                                          MemoryBudget);

template DenseForest mst_with_cores<std::uint64_t>(PointsView<std::uint64_t>, const Metric&,
                                                   const EmstOptions&, bool, MemoryBudget);
template DenseForest mst_with_cores<float>(PointsView<float>, const Metric&, const EmstOptions&,
                                           bool, MemoryBudget);
template DenseForest mst_with_cores<double>(PointsView<double>, const Metric&, const EmstOptions&,
                                            bool, MemoryBudget);

#define WARPGRAPH_INSTANTIATE_MST(Pairs)                                          \
  template MemoryNeed need_of_mst<Pairs>(const Pairs&);                           \
  template DenseForest mst_of_pairs<Pairs>(const Pairs&, std::span<const double>, \
                                           const MetricTreeOptions&, MemoryBudget);
WARPGRAPH_FOR_EACH_KIND_OF_PAIRS(WARPGRAPH_INSTANTIATE_MST)
#undef WARPGRAPH_INSTANTIATE_MST

}  // namespace warpgraph
