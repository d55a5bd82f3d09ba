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
    const T apart = a[k] - b[k];
    sum += apart * apart;
    identical = identical && a[k] == b[k];
  }
  return identical ? emst::identical_key<T> : sum;
}

}  // namespace

template <class T>
EuclideanTree emst_reference(PointsView<T> points) {
  const auto row = [&](vertex_t p) { return points.coordinates + p * points.dimension; };
  // Of every point outside the tree: its first pair with a point inside.
  std::vector<emst::Edge<T>> link;
  std::vector<vertex_t> outside;
  for (vertex_t p = 1; p < points.n_points; ++p) {
    link.push_back(emst::make_edge(key_of_pair(row(0), row(p), points.dimension), 0, p));
    outside.push_back(p);
  }
  HostVector<emst::Edge<T>> tree;
  while (!outside.empty()) {
    poll();
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < outside.size(); ++i) {
      if (link[i] < link[nearest]) nearest = i;
    }
    tree.push_back(link[nearest]);
    const vertex_t joined = outside[nearest];
    std::swap(outside[nearest], outside.back());
    std::swap(link[nearest], link.back());
    outside.pop_back();
    link.pop_back();
    for (std::size_t i = 0; i < outside.size(); ++i) {
      const T key = key_of_pair(row(joined), row(outside[i]), points.dimension);
      link[i] = std::min(link[i], emst::make_edge(key, joined, outside[i]));
    }
  }
  return emst::finish(std::move(tree));
}

template EuclideanTree emst_reference(PointsView<float>);
template EuclideanTree emst_reference(PointsView<double>);

}  // namespace warpgraph
