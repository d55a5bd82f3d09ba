#include "algorithms/emst/emst.hpp"
#include "algorithms/emst/kd_tree/kd_tree_boruvka.hpp"
#include "core/threads/this_cpu.hpp"

namespace warpgraph {
namespace emst {

// The inner loops of the searches, compiled for several vector instruction sets: see this_cpu.hpp.
#define WARPGRAPH_DEFINE_LEAF_SCANS(T, D)                                                          \
  WARPGRAPH_FOR_THIS_CPU_UP_TO_AVX512 void scan_leaf_simd(                                         \
      KnnLists<T, D>::Searcher& searcher, const KdNode& leaf, std::int32_t number) {               \
    searcher.scan_leaf(leaf, number);                                                              \
  }                                                                                                \
  WARPGRAPH_FOR_THIS_CPU_UP_TO_AVX512 void scan_leaf_simd(KdTreeBoruvka<T, D>::Searcher& searcher, \
                                                          std::int32_t number) {                   \
    searcher.scan_leaf(number);                                                                    \
  }
#define WARPGRAPH_FOR_EACH_DIMENSION(X, T) X(T, 2) X(T, 3) X(T, 4) X(T, 5) X(T, 6) X(T, 8) X(T, 0)
WARPGRAPH_FOR_EACH_DIMENSION(WARPGRAPH_DEFINE_LEAF_SCANS, float)
WARPGRAPH_FOR_EACH_DIMENSION(WARPGRAPH_DEFINE_LEAF_SCANS, double)
#undef WARPGRAPH_FOR_EACH_DIMENSION
#undef WARPGRAPH_DEFINE_LEAF_SCANS

}  // namespace emst

namespace {

template <class T, int D>
EuclideanTree run_kd_tree(PointsView<T> points, const MemoryBudget& budget) {
  const auto n = static_cast<std::size_t>(points.n_points);
  const auto dimension = static_cast<std::size_t>(D > 0 ? D : points.dimension);
  budget.require("the spanning tree of " + std::to_string(n) + " points",
                 emst::KdTree<T, D>::bytes(n, dimension) + emst::KdTreeBoruvka<T, D>::bytes(n),
                 "pass fewer points, or float32 instead of float64");
  const emst::KdTree<T, D> tree(points);
  HostVector<emst::Edge<T>> edges = emst::KdTreeBoruvka<T, D>(tree).run();
  EuclideanTree result = emst::to_euclidean_tree(std::move(edges));
  report_progress(2 * std::int64_t{points.n_points}, 2 * std::int64_t{points.n_points});
  return result;
}

}  // namespace

template <class T>
EuclideanTree emst_cpu(PointsView<T> points, const EmstOptions&, const MemoryBudget& budget) {
  if (points.dimension > max_fixed_dimension) return run_kd_tree<T, 0>(points, budget);
  return with_dimension(points.dimension,
                              [&](auto d) { return run_kd_tree<T, d>(points, budget); });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(emst_cpu)

}  // namespace warpgraph
