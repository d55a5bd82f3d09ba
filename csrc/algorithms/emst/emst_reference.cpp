#include "algorithms/emst/emst.hpp"
#include "algorithms/emst/pair_order.hpp"
#include "core/interrupt.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph {
namespace {

template <class T>
T reference_distance(const T* a, const T* b, std::int64_t dimension) {
  T sum = 0;
  for (std::int64_t k = 0; k < dimension; ++k) {
    const T difference = a[k] - b[k];
    sum += difference * difference;
  }
  return sum;
}

/// Returns the squared distance of every point to its min_samples-th neighbour, itself included.
template <class T>
std::vector<T> cores_of(PointsView<T> points, std::int32_t min_samples) {
  std::vector<T> cores(static_cast<std::size_t>(points.n_points));
  if (min_samples == 1) return cores;
  std::vector<T> distances(cores.size());
  for (vertex_t p = 0; p < points.n_points; ++p) {
    poll();
    for (vertex_t q = 0; q < points.n_points; ++q) {
      distances[static_cast<std::size_t>(q)] =
          reference_distance(points.row(p), points.row(q), points.dimension);
    }
    const auto place = distances.begin() + (min_samples - 1);
    std::nth_element(distances.begin(), place, distances.end());
    cores[static_cast<std::size_t>(p)] = *place;
  }
  return cores;
}

/// The keys of pairs, as emst.hpp defines them.
template <class T>
struct PairKeys {
  PointsView<T> points;
  std::vector<T> cores;
  T factor;

  T operator()(vertex_t u, vertex_t v) const {
    const T core = std::max(cores[static_cast<std::size_t>(u)], cores[static_cast<std::size_t>(v)]);
    const T* a = points.row(u);
    const T* b = points.row(v);
    if (core == 0 && std::equal(a, a + points.dimension, b)) return emst::identical_key<T>;
    return std::max(core, reference_distance(a, b, points.dimension) * factor);
  }
};

}  // namespace

template <class T>
EuclideanTree emst_reference(PointsView<T> points, const EmstOptions& options) {
  const PairKeys<T> key_of{points, cores_of(points, options.min_samples),
                           emst::distance_factor<T>(options.alpha)};
  // This is the first pair with a point inside, for every point outside the tree.
  std::vector<emst::Edge<T>> best_edge;
  std::vector<vertex_t> outside;
  for (vertex_t p = 1; p < points.n_points; ++p) {
    best_edge.push_back(emst::make_edge(key_of(0, p), 0, p));
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
      const T key = key_of(added, outside[i]);
      best_edge[i] = std::min(best_edge[i], emst::make_edge(key, added, outside[i]));
    }
  }
  return emst::to_euclidean_tree(std::move(tree));
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(emst_reference)

}  // namespace warpgraph
