#include "algorithms/emst/emst.hpp"
#include "algorithms/emst/kd_tree/boruvka.hpp"
#include "core/threads/this_cpu.hpp"

namespace warpgraph {
namespace emst {

// The inner loops of the searches, by the vector instructions that there are: see this_cpu.hpp.
#define WARPGRAPH_DEFINE_LOOKS(T, D)                                                            \
  WARPGRAPH_FOR_THIS_CPU_UP_TO_AVX512 void look_from(NeighbourLists<T, D>::Searcher& searcher,  \
                                                     const KdNode& leaf, std::int32_t number) { \
    searcher.look(leaf, number);                                                                \
  }                                                                                             \
  WARPGRAPH_FOR_THIS_CPU_UP_TO_AVX512 void look_from(Boruvka<T, D>::Searcher& searcher,         \
                                                     std::int32_t number) {                     \
    searcher.look(number);                                                                      \
  }
#define WARPGRAPH_FOR_EACH_DIMENSION(X, T) X(T, 2) X(T, 3) X(T, 4) X(T, 5) X(T, 6) X(T, 8) X(T, 0)
WARPGRAPH_FOR_EACH_DIMENSION(WARPGRAPH_DEFINE_LOOKS, float)
WARPGRAPH_FOR_EACH_DIMENSION(WARPGRAPH_DEFINE_LOOKS, double)
#undef WARPGRAPH_FOR_EACH_DIMENSION
#undef WARPGRAPH_DEFINE_LOOKS

}  // namespace emst

namespace {

template <class T, int D>
EuclideanTree span_points(PointsView<T> points, const MemoryBudget& budget) {
  const auto n = static_cast<std::size_t>(points.n_points);
  const auto dimension = static_cast<std::size_t>(D > 0 ? D : points.dimension);
  budget.require("the spanning tree of " + std::to_string(n) + " points",
                 emst::KdTree<T, D>::bytes(n, dimension) + emst::Boruvka<T, D>::bytes(n),
                 "pass fewer points, or float32 instead of float64");
  const emst::KdTree<T, D> tree(points);
  HostVector<emst::Edge<T>> edges = emst::Boruvka<T, D>(tree).run();
  EuclideanTree result = emst::finish(std::move(edges));
  report_progress(2 * std::int64_t{points.n_points}, 2 * std::int64_t{points.n_points});
  return result;
}

}  // namespace

// A tree of a fixed dimension may have more than the points: coordinates that are 0 everywhere add
// nothing to a squared distance.
template <class T>
EuclideanTree emst_cpu(PointsView<T> points, const MemoryBudget& budget) {
  if (points.dimension <= 2) return span_points<T, 2>(points, budget);
  if (points.dimension == 3) return span_points<T, 3>(points, budget);
  if (points.dimension == 4) return span_points<T, 4>(points, budget);
  if (points.dimension == 5) return span_points<T, 5>(points, budget);
  if (points.dimension == 6) return span_points<T, 6>(points, budget);
  if (points.dimension <= 8) return span_points<T, 8>(points, budget);
  return span_points<T, 0>(points, budget);
}

template EuclideanTree emst_cpu(PointsView<float>, const MemoryBudget&);
template EuclideanTree emst_cpu(PointsView<double>, const MemoryBudget&);

}  // namespace warpgraph
