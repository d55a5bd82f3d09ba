// The nearest neighbours of every point, from which Boruvka's algorithm takes most edges.
//
// In each round of Boruvka's algorithm, a point needs its nearest neighbour outside its component.
// Components only grow, so the answer moves forward in the point's list, and seldom beyond its end.
// Beyond the end, there is a lower bound of keys, which spares most points a search.
//
// Lists are in the order of (key, id) and have distinct points only. Of mutual-reachability keys,
// the neighbours by distance serve: each point that is not among them has a key that is not below
// the bound max(core, distance of the last one). Listed neighbours with keys below the bound are
// therefore the first ones. Others may share the bound as their key, so neighbours at or beyond it
// are not listed, and a search finds them if they are needed.
#pragma once

#include "algorithms/emst/pair_order.hpp"
#include "primitives/kd_tree/knn_search.hpp"

namespace warpgraph::emst {

/// What mutual-reachability keys depend on, besides distances. Indexed by position.
template <class T>
struct Cores {
  T factor = 1;
  HostArray<T> of_point;  // a point in a leaf
  HostVector<T> of_node;  // the least of the node's points

  /// The key of a pair with these cores.
  [[nodiscard]] T key(T a, T b, T squared_distance) const noexcept {
    return std::max(std::max(a, b), squared_distance * factor);
  }
};

template <class T>
class NeighbourLists {
 public:
  /// Of plain distances. Most edges of a tree lead to one of these neighbours. Measured: shorter
  /// lists cost more in later searches than they save, longer ones cost more to build.
  template <int D>
  static constexpr int plain_length = D == 0 ? 8 : 7;
  /// Of mutual-reachability distances: at least these, and one more than min_samples, without which
  /// no list would reach beyond the point's core. Longer lists would take much memory.
  static constexpr int min_mutual_length = 9;
  static constexpr int max_mutual_length = 40;

  [[nodiscard]] static constexpr int mutual_length(std::int32_t min_samples) {
    return std::clamp(min_samples + 1, min_mutual_length, max_mutual_length);
  }
  [[nodiscard]] static std::size_t bytes(std::size_t n, int length) {
    return n * static_cast<std::size_t>(length) * sizeof(Neighbour<T>);
  }

  /// The nearest neighbours of all points.
  template <int D>
  static NeighbourLists by_distance(const KdTree<T, D>& tree);
  /// The first neighbours by mutual-reachability keys. Computes all cores, too, and writes to
  /// least_key[p] the least key of p with a neighbour, listed or not: an upper bound.
  template <int D>
  static NeighbourLists by_mutual_reachability(const KdTree<T, D>& tree, std::int32_t min_samples,
                                               Cores<T>& cores, T* least_key);

  /// A list ends at its length or earlier, at a neighbour no_vertex whose key is the lower bound.
  [[nodiscard]] Neighbour<T>* of(vertex_t position) const noexcept {
    return items_.get() + static_cast<std::int64_t>(position) * length_;
  }
  [[nodiscard]] int length() const noexcept { return length_; }

 private:
  NeighbourLists(vertex_t n, int length) : length_(length), items_(std::int64_t{n} * length) {}

  Neighbour<T>* copy_distinct(const KdTreeNodes& tree, const FoundNeighbours<T>& found, int count,
                              vertex_t p, int most) const noexcept;
  void order_by_keys(const KdTreeNodes& tree, Cores<T>& cores, T* least_key, bool complete) const;
  T order_by_key(const KdTreeNodes& tree, const Cores<T>& cores, vertex_t p,
                 bool complete) const noexcept;

  int length_;
  HostArray<Neighbour<T>> items_;
};

template <class T>
template <int D>
NeighbourLists<T> NeighbourLists<T>::by_distance(const KdTree<T, D>& tree) {
  constexpr int length = plain_length<D>;
  NeighbourLists lists(tree.n_positions(), length);
  const auto n = std::int64_t{tree.n_positions()};
  const auto n_distinct = static_cast<int>(std::min<std::int64_t>(length + 1, tree.n_distinct()));
  for_each_knn_search(tree, n_distinct, false, 2 * n, [&](const auto& search, std::int32_t number) {
    const KdNode& leaf = tree.nodes()[static_cast<std::size_t>(number)];
    for (vertex_t p = leaf.first; p < leaf.last; ++p) {
      Neighbour<T>* const end =
          lists.copy_distinct(tree, search.neighbours(p - leaf.first), n_distinct, p, length);
      if (end < lists.of(p) + length) *end = {std::numeric_limits<T>::infinity(), no_vertex};
    }
  });
  return lists;
}

/// Copies at most `most` neighbours of p, without itself and copies of points. Returns the end.
template <class T>
Neighbour<T>* NeighbourLists<T>::copy_distinct(const KdTreeNodes& tree,
                                               const FoundNeighbours<T>& found, int count,
                                               vertex_t p, int most) const noexcept {
  Neighbour<T>* to = of(p);
  Neighbour<T>* const last = to + most;
  for (int i = 0; i < count && to < last; ++i) {
    const vertex_t q = found.positions[i];
    if (q != p && !tree.is_copy(q)) *to++ = found[i];
  }
  return to;
}

template <class T>
template <int D>
NeighbourLists<T> NeighbourLists<T>::by_mutual_reachability(const KdTree<T, D>& tree,
                                                            std::int32_t min_samples,
                                                            Cores<T>& cores, T* least_key) {
  const vertex_t n = tree.n_positions();
  NeighbourLists lists(n, mutual_length(min_samples));
  cores.of_point = HostArray<T>(n);
  cores.of_node.resize(tree.nodes().size());
  const auto k = std::min<vertex_t>(std::max(min_samples, lists.length()), n);
  const int kept = std::min<int>(k, lists.length());
  for_each_knn_search(tree, k, true, 2 * std::int64_t{n},
                      [&](const auto& search, std::int32_t number) {
                        const KdNode& leaf = tree.nodes()[static_cast<std::size_t>(number)];
                        T least = std::numeric_limits<T>::infinity();
                        for (vertex_t p = leaf.first; p < leaf.last; ++p) {
                          const FoundNeighbours<T> found = search.neighbours(p - leaf.first);
                          cores.of_point[p] = found.keys[min_samples - 1];
                          least = std::min(least, cores.of_point[p]);
                          // The points that are not listed are at least as far as the last one
                          // found.
                          *lists.copy_distinct(tree, found, kept, p, lists.length() - 1) = {
                              found.keys[kept - 1], no_vertex};
                        }
                        cores.of_node[static_cast<std::size_t>(number)] = least;
                      });
  lists.order_by_keys(tree, cores, least_key, kept == n);
  return lists;
}

/// Replaces squared distances by keys, and computes the least cores of inner nodes.
template <class T>
void NeighbourLists<T>::order_by_keys(const KdTreeNodes& tree, Cores<T>& cores, T* least_key,
                                      bool complete) const {
  tree.for_each_node_bottom_up([&](std::int32_t number) {
    const KdNode& node = tree.nodes()[static_cast<std::size_t>(number)];
    if (node.is_leaf()) return;
    cores.of_node[static_cast<std::size_t>(number)] =
        std::min(cores.of_node[static_cast<std::size_t>(number + 1)],
                 cores.of_node[static_cast<std::size_t>(number + node.right)]);
  });
  parallel_for(
      std::ssize(tree.leaves()),
      [&](std::int64_t i) {
        const KdNode& leaf =
            tree.nodes()[static_cast<std::size_t>(tree.leaves()[static_cast<std::size_t>(i)])];
        for (vertex_t p = leaf.first; p < leaf.last; ++p) {
          least_key[p] = order_by_key(tree, cores, p, complete);
        }
      },
      64);
}

/// Replaces the squared distances of p's list by keys, and reorders it. Returns the least key.
template <class T>
T NeighbourLists<T>::order_by_key(const KdTreeNodes& tree, const Cores<T>& cores, vertex_t p,
                                  bool complete) const noexcept {
  Neighbour<T>* const list = of(p);
  const T core = cores.of_point[p];
  int count = 0;
  while (list[count].position != no_vertex) ++count;
  const T bound = complete ? std::numeric_limits<T>::infinity()
                           : std::max(core, list[count].key * cores.factor);
  T least = std::numeric_limits<T>::infinity();
  int size = 0;
  for (int i = 0; i < count; ++i) {
    const vertex_t q = list[i].position;
    const T key = cores.key(core, cores.of_point[q], list[i].key);
    least = std::min(least, key);
    if (key >= bound && !complete) continue;
    int j = size++;
    for (; j > 0; --j) {
      const Neighbour<T>& above = list[j - 1];
      if (above.key < key || (above.key == key && tree.id(above.position) < tree.id(q))) break;
      list[j] = above;
    }
    list[j] = {key, q};
  }
  list[size] = {bound, no_vertex};
  return least;
}

}  // namespace warpgraph::emst
