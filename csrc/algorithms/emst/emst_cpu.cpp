#include "algorithms/emst/emst.hpp"
#include "algorithms/emst/kd_tree/kd_tree_boruvka_search.hpp"
#include "core/containers/at.hpp"

namespace warpgraph {
namespace {

template <class T, int D>
EuclideanTree run_kd_tree(PointsView<T> points, const EmstOptions& options) {
  const KdTree<T, D> tree(points);
  HostVector<emst::Edge<T>> edges = emst::KdTreeBoruvka<T, D>(tree, options).run();
  EuclideanTree result = emst::to_euclidean_tree(std::move(edges));
  report_progress(2 * std::int64_t{points.n_points}, 2 * std::int64_t{points.n_points});
  return result;
}

}  // namespace

template <class T>
MemoryNeed need_of_emst(PointsView<T> points, const EmstOptions& options) {
  const std::size_t bytes = with_kd_tree_dimension(points.dimension, [&](auto d) {
    const std::size_t n = at(points.n_points);
    return KdTree<T, d>::bytes(n, at(d > 0 ? d : points.dimension)) +
           emst::KdTreeBoruvka<T, d>::bytes(n, options);
  });
  return {"the spanning tree of " + std::to_string(points.n_points) + " points", bytes,
          "pass fewer points, or float32 instead of float64"};
}

template <class T>
EuclideanTree emst_cpu(PointsView<T> points, const EmstOptions& options, MemoryBudget budget) {
  budget.require(need_of_emst(points, options));
  return with_kd_tree_dimension(points.dimension,
                                [&](auto d) { return run_kd_tree<T, d>(points, options); });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(need_of_emst)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(emst_cpu)

}  // namespace warpgraph
