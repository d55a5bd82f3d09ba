#include "algorithms/knn/knn.hpp"
#include "primitives/kd_tree/knn_search.hpp"

#include <cmath>

namespace warpgraph {
namespace {

/// Writes rows of results. `found` is the list of all points that are identical to the row's one:
/// the first neighbours of their location, as many as a row has with the point itself.
template <class T, int D>
class RowWriter {
 public:
  RowWriter(const KdTree<T, D>& tree, const KnnOptions& options, const NeighboursView& out)
      : tree_(tree), options_(options), out_(out) {}

  void write(vertex_t position, const FoundNeighbours<T>& found) const {
    const std::int64_t k = options_.n_neighbors;
    const std::int64_t id = tree_.id(position);
    std::int64_t i = 0;
    T last = 0;
    if (options_.include_self) put(id * k + i++, {T(0), position});
    // The point itself is not among the neighbours if enough others of smaller ids are as near.
    for (std::int64_t j = 0; i < k; ++j) {
      if (found.positions[j] == position) continue;
      last = found.keys[j];
      put(id * k + i++, found[j]);
    }
    if (out_.farthest != nullptr) out_.farthest[id] = root(last);
  }

 private:
  static double root(T squared) { return std::sqrt(static_cast<double>(squared)); }
  void put(std::int64_t at, const Neighbour<T>& neighbour) const {
    if (out_.neighbours != nullptr) out_.neighbours[at] = tree_.id(neighbour.position);
    if (out_.distances != nullptr) out_.distances[at] = root(neighbour.key);
  }

  const KdTree<T, D>& tree_;
  const KnnOptions& options_;
  const NeighboursView& out_;
};

template <class T, int D>
void search_kd_tree(PointsView<T> points, const KnnOptions& options, const NeighboursView& out,
                    const MemoryBudget& budget) {
  const auto n = static_cast<std::size_t>(points.n_points);
  const auto dimension = static_cast<std::size_t>(D > 0 ? D : points.dimension);
  const int k = options.n_neighbors + (options.include_self ? 0 : 1);
  budget.require("finding the neighbours of " + std::to_string(n) + " points",
                 KdTree<T, D>::bytes(n, dimension) +
                     static_cast<std::size_t>(num_threads()) * KnnSearch<T, D>::bytes(k, dimension),
                 "pass fewer points, or float32 instead of float64");
  const KdTree<T, D> tree(points);
  const RowWriter<T, D> rows(tree, options, out);
  for_each_knn_search(tree, k, true, points.n_points, [&](const auto& search, std::int32_t number) {
    const KdNode& leaf = tree.nodes()[static_cast<std::size_t>(number)];
    for (vertex_t p = leaf.first; p < leaf.last; ++p) {
      const FoundNeighbours<T> found = search.neighbours(p - leaf.first);
      rows.write(p, found);
      const Copies copies = tree.copies_of(p);
      for (vertex_t copy = copies.first; copy < copies.last; ++copy) rows.write(copy, found);
    }
  });
  report_progress(points.n_points, points.n_points);
}

}  // namespace

template <class T>
void knn_cpu(PointsView<T> points, const KnnOptions& options, const NeighboursView& out,
             const MemoryBudget& budget) {
  with_kd_tree_dimension(points.dimension,
                         [&](auto d) { search_kd_tree<T, d>(points, options, out, budget); });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(knn_cpu)

}  // namespace warpgraph
