#include "algorithms/emst/emst.hpp"
#include "algorithms/emst/kd_tree/kd_tree_boruvka_search.hpp"

namespace warpgraph {
namespace {

template <class T, int D>
EuclideanTree run_kd_tree(PointsView<T> points, const EmstOptions& options, MemoryBudget budget) {
  using Boruvka = emst::KdTreeBoruvka<T, D>;
  const auto n = static_cast<std::size_t>(points.n_points);
  const auto dimension = static_cast<std::size_t>(D > 0 ? D : points.dimension);
  budget.require("the spanning tree of " + std::to_string(n) + " points",
                 KdTree<T, D>::bytes(n, dimension) + Boruvka::bytes(n, options),
                 "pass fewer points, or float32 instead of float64");
  const KdTree<T, D> tree(points);
  HostVector<emst::Edge<T>> edges = Boruvka(tree, options).run();
  EuclideanTree result = emst::to_euclidean_tree(std::move(edges));
  report_progress(2 * std::int64_t{points.n_points}, 2 * std::int64_t{points.n_points});
  return result;
}

}  // namespace

template <class T>
EuclideanTree emst_cpu(PointsView<T> points, const EmstOptions& options, MemoryBudget budget) {
  return with_kd_tree_dimension(points.dimension,
                                [&](auto d) { return run_kd_tree<T, d>(points, options, budget); });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(emst_cpu)

}  // namespace warpgraph
