#include "algorithms/emst/emst.hpp"
#include "algorithms/emst/pair_order.hpp"
#include "core/interrupt.hpp"

namespace warpgraph {
namespace {

template <class T>
T key_of_pair(const T* a, const T* b, std::int64_t dimension) {
  T sum = 0;
  bool identical = true;
  for (std::int64_t k = 0; k < dimension; ++k) {
    const T difference = a[k] - b[k];
    sum += difference * difference;
    identical = identical && a[k] == b[k];
  }
  return identical ? emst::identical_key<T> : sum;
}

}  // namespace

template <class T>
EuclideanTree emst_reference(PointsView<T> points) {
  const auto row = [&](vertex_t p) { return points.coordinates + p * points.dimension; };
  // For every point outside the tree: its first pair with a point inside.
  std::vector<emst::Edge<T>> best_edge;
  std::vector<vertex_t> outside;
  for (vertex_t p = 1; p < points.n_points; ++p) {
    best_edge.push_back(emst::make_edge(key_of_pair(row(0), row(p), points.dimension), 0, p));
    outside.push_back(p);
  }
  HostVector<emst::Edge<T>> tree;
  while (!outside.empty()) {
    poll();
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < outside.size(); ++i) {
      if (best_edge[i] < best_edge[nearest]) nearest = i;
    }
    tree.push_back(best_edge[nearest]);
    const vertex_t added = outside[nearest];
    std::swap(outside[nearest], outside.back());
    std::swap(best_edge[nearest], best_edge.back());
    outside.pop_back();
    best_edge.pop_back();
    for (std::size_t i = 0; i < outside.size(); ++i) {
      const T key = key_of_pair(row(added), row(outside[i]), points.dimension);
      best_edge[i] = std::min(best_edge[i], emst::make_edge(key, added, outside[i]));
    }
  }
  return emst::to_euclidean_tree(std::move(tree));
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(emst_reference)

}  // namespace warpgraph
