#include "algorithms/knn/knn.hpp"
#include "primitives/kd_tree/knn_rows.hpp"

#include <cmath>

namespace warpgraph {
namespace {

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
  const auto root = [](T square) { return std::sqrt(static_cast<double>(square)); };
  for_each_neighbour_row(tree, options.n_neighbors, options.include_self,
                         [&](const auto& row) { out.put(row, options.n_neighbors, root); });
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
