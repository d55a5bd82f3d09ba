#include "algorithms/emst/new_point_edges.hpp"

#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"

#include <cmath>

namespace warpgraph {
namespace {

/// A merge of the old points' dendrogram.
template <class T>
struct Merge {
  std::uint32_t clusters[2];
  T key;  // the squared length of the edge that merges
};

template <class T>
HostVector<Merge<T>> merges_of(PointsView<T> points, std::span<const vertex_t> tree,
                               std::span<const double> linkage) {
  HostVector<Merge<T>> merges(tree.size() / 2);
  parallel_for(std::ssize(merges), [&](std::int64_t r) {
    const vertex_t* ends = tree.data() + 2 * r;
    const double* row = linkage.data() + 4 * r;
    merges[static_cast<std::size_t>(r)] = {
        {static_cast<std::uint32_t>(row[0]), static_cast<std::uint32_t>(row[1])},
        squared_distance(points.row(ends[0]), points.row(ends[1]), points.dimension)};
  });
  return merges;
}

/// The nearest point of a cluster to a new point, the smallest id among ties, or none once the
/// cluster has an edge.
template <class T>
struct NearestPoint {
  T key;
  vertex_t point;
};

/// Appends the old points to which `point` needs edges.
template <class T>
void append_needed_edges(PointsView<T> points, const T* point, const HostVector<Merge<T>>& merges,
                         HostVector<NearestPoint<T>>& clusters, std::vector<vertex_t>& needed) {
  const std::size_t n_old = merges.size() + 1;
  clusters.resize(2 * n_old - 1);
  for (std::size_t v = 0; v < n_old; ++v) {
    const auto old = static_cast<vertex_t>(v);
    clusters[v] = {squared_distance(points.row(old), point, points.dimension), old};
  }
  for (std::size_t r = 0; r < merges.size(); ++r) {
    NearestPoint<T> sides[2];
    for (int i = 0; i < 2; ++i) {
      sides[i] = clusters[merges[r].clusters[i]];
      if (sides[i].point == no_vertex || sides[i].key > merges[r].key) continue;
      needed.push_back(sides[i].point);
      sides[i].point = no_vertex;
    }
    const bool has_edge = sides[0].point == no_vertex || sides[1].point == no_vertex;
    const bool second = sides[1].key != sides[0].key ? sides[1].key < sides[0].key
                                                     : sides[1].point < sides[0].point;
    clusters[n_old + r] = has_edge ? NearestPoint<T>{0, no_vertex} : sides[second ? 1 : 0];
  }
  if (clusters.back().point != no_vertex) needed.push_back(clusters.back().point);
}

}  // namespace

template <class T>
NewEdges new_point_edges(PointsView<T> points, std::span<const vertex_t> tree,
                         std::span<const double> linkage) {
  const HostVector<Merge<T>> merges = merges_of(points, tree, linkage);
  const auto n_old = static_cast<std::int64_t>(merges.size()) + 1;
  std::vector<std::vector<vertex_t>> needed(static_cast<std::size_t>(points.n_points - n_old));
  std::vector<HostVector<NearestPoint<T>>> of_thread(static_cast<std::size_t>(num_threads()));
  parallel_blocks(std::ssize(needed), 1, [&](int thread, std::int64_t i, std::int64_t) {
    append_needed_edges(points, points.row(n_old + i), merges,
                        of_thread[static_cast<std::size_t>(thread)],
                        needed[static_cast<std::size_t>(i)]);
  });
  NewEdges edges;
  for (std::int64_t i = 0; i < std::ssize(needed); ++i) {
    for (const vertex_t old : needed[static_cast<std::size_t>(i)]) {
      const T key = squared_distance(points.row(old), points.row(n_old + i), points.dimension);
      edges.ends.insert(edges.ends.end(), {old, static_cast<vertex_t>(n_old + i)});
      edges.weights.push_back(std::sqrt(static_cast<double>(key)));
    }
  }
  return edges;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(new_point_edges)

}  // namespace warpgraph
