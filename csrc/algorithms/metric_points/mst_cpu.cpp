#include "algorithms/metric_points/metric_points.hpp"
#include "core/containers/at.hpp"
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

/// Prim's algorithm over points in blocks; those of the tree leave the blocks.
template <class MetricOf>
class GrowingTree {
 public:
  template <class Coordinate>
  GrowingTree(PointsView<Coordinate> points, MetricOf metric, std::span<const double> cores,
              const MetricTreeOptions& options)
      : n_(points.n_points),
        options_(options),
        alpha_(options.alpha),
        blocks_(points, metric),
        ids_(at(n_)),
        cores_(at(n_), 0),
        weights_(at(n_), infinity<double>()),
        apart_(at(n_), 0),
        inside_(at(n_), no_vertex),
        point_(at(points.dimension)) {
    std::iota(ids_.begin(), ids_.end(), 0);
    std::copy(cores.begin(), cores.end(), cores_.begin());
  }

  static std::size_t bytes(std::int64_t n, std::int64_t width) {
    constexpr std::size_t of_a_vertex = 4 * sizeof(vertex_t) + 4 * sizeof(double);
    return ColumnBlocks<MetricOf>::bytes(n, width) + at(n) * (of_a_vertex + sizeof(Lightest));
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
    blocks_.copy_point(place, point_.data());
    newest_ = ids_[at(place)];
    core_ = cores_[at(place)];
    blocks_.move_point(last, place);
    ids_[at(place)] = ids_[at(last)];
    cores_[at(place)] = cores_[at(last)];
    weights_[at(place)] = weights_[at(last)];
    apart_[at(place)] = apart_[at(last)];
    inside_[at(place)] = inside_[at(last)];
  }

  /// Compares the newest vertex with all outside; returns the lightest edge of all.
  Lightest relax(std::int64_t n_outside) {
    const std::int64_t of_a_block = block_lanes * std::max<std::int64_t>(blocks_.width(), 1);
    const std::int64_t grain = std::max<std::int64_t>(coordinates_per_task / of_a_block, 1);
    return parallel_reduce(
        blocks_.n_blocks(n_outside), Lightest{},
        [&](std::int64_t block) { return relax_block(block, n_outside); },
        [](const Lightest& a, const Lightest& b) { return a.is_after(b) ? b : a; }, grain);
  }

  Lightest relax_block(std::int64_t block, std::int64_t n_outside) {
    BlockDistances distances;
    blocks_.distances(point_.data(), block, distances);
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
  ColumnBlocks<MetricOf> blocks_;
  HostVector<vertex_t> ids_;
  std::vector<double> cores_;
  std::vector<double> weights_;
  std::vector<double> apart_;  // 0, unless it decides between equal weights
  std::vector<vertex_t> inside_;
  std::vector<typename MetricOf::Item> point_;  // the newest vertex of the tree
  vertex_t newest_ = 0;
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

}  // namespace

template <class Coordinate>
DenseForest mst_by_metric(PointsView<Coordinate> points, const Metric& metric,
                          std::span<const double> cores, const MetricTreeOptions& options,
                          const MemoryBudget& budget) {
  return with_metric<Coordinate>(metric, [&]<class MetricOf>(MetricOf of) {
    using Tree = GrowingTree<MetricOf>;
    budget.require("the spanning tree of " + std::to_string(points.n_points) + " points",
                   Tree::bytes(points.n_points, points.dimension), "pass fewer points");
    Tree tree(points, of, cores, options);
    std::vector<Lightest> edges;
    with_spinning_pool([&] { edges = tree.run(); });
    return in_order(std::move(edges));
  });
}

template <class Coordinate>
DenseForest mst_in_boxes(PointsView<Coordinate> points, const Metric& metric,
                         const EmstOptions& options, const MemoryBudget& budget) {
  const auto tree = emst_by_metric(points, metric, options, budget);
  if (!tree) {
    std::vector<double> cores(at(points.n_points), 0);
    if (options.min_samples > 1) {
      nearest_by_metric(points, points, metric, KnnOptions{options.min_samples, true}, true, true,
                        NeighboursView{nullptr, nullptr, cores.data()}, budget);
    }
    return mst_by_metric<Coordinate>(points, metric, cores, {options.alpha, false}, budget);
  }
  // Weights are in ascending order.
  const auto end = std::lower_bound(tree->weights.begin(), tree->weights.end(), infinity<double>());
  const auto n_edges = end - tree->weights.begin();
  return {{tree->edges.begin(), tree->edges.begin() + 2 * n_edges}, {tree->weights.begin(), end}};
}

template DenseForest mst_in_boxes<float>(PointsView<float>, const Metric&, const EmstOptions&,
                                         const MemoryBudget&);
template DenseForest mst_in_boxes<double>(PointsView<double>, const Metric&, const EmstOptions&,
                                          const MemoryBudget&);

#define WARPGRAPH_INSTANTIATE_MST(Coordinate)                                           \
  template DenseForest mst_by_metric<Coordinate>(PointsView<Coordinate>, const Metric&, \
                                                 std::span<const double>,               \
                                                 const MetricTreeOptions&, const MemoryBudget&);
WARPGRAPH_INSTANTIATE_MST(float)
WARPGRAPH_INSTANTIATE_MST(double)
WARPGRAPH_INSTANTIATE_MST(std::uint64_t)
#undef WARPGRAPH_INSTANTIATE_MST

}  // namespace warpgraph
