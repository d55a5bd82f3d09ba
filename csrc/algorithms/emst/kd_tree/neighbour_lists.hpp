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
//
// The lists of a leaf are stored level by level: the first neighbours of all its points, then the
// second ones, and so on. In a round, most points of a leaf advance to the same levels.
#pragma once

#include "algorithms/emst/kd_tree/sorted_columns.hpp"
#include "algorithms/emst/pair_order.hpp"
#include "primitives/kd_tree/knn_search.hpp"

namespace warpgraph::emst {

/// What mutual-reachability keys depend on, besides distances. Indexed by position.
template <class T>
struct Cores {
  T factor = 1;
  HostArray<T> of_point;  // a point in a leaf; and a vector beyond the last one
  HostVector<T> of_node;  // the least of the node's points

  /// The key of a pair with these cores.
  [[nodiscard]] T key(T a, T b, T squared_distance) const noexcept {
    return std::max(std::max(a, b), squared_distance * factor);
  }
};

/// The lists of the points of a leaf: the neighbour at `level` of the i-th is item(level, i).
template <class T>
struct LeafLists {
  T* keys;
  vertex_t* positions;  // or no_vertex
  int count;            // of the leaf's points

  [[nodiscard]] std::size_t item(int level, int i) const noexcept {
    return static_cast<std::size_t>(level * count + i);
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
  static constexpr int max_mutual_length = SortedColumns::max_length;

  [[nodiscard]] static constexpr int mutual_length(std::int32_t min_samples) {
    return std::clamp(min_samples + 1, min_mutual_length, max_mutual_length);
  }
  [[nodiscard]] static std::size_t bytes(std::size_t n, int length) {
    return n * static_cast<std::size_t>(length) * (sizeof(T) + sizeof(vertex_t));
  }

  /// The nearest neighbours of all points.
  template <int D>
  static NeighbourLists by_distance(const KdTree<T, D>& tree);
  /// The first neighbours by mutual-reachability keys. Computes all cores, too, and writes to
  /// least_key[p] the least key of p with a neighbour, listed or not: an upper bound.
  template <int D>
  static NeighbourLists by_mutual_reachability(const KdTree<T, D>& tree, std::int32_t min_samples,
                                               Cores<T>& cores, T* least_key);

  /// Lists have length() items. Those after the last neighbour are no_vertex, and their key is the
  /// lower bound.
  [[nodiscard]] LeafLists<T> of(const KdNode& leaf) const noexcept {
    const std::int64_t begin = std::int64_t{leaf.first} * length_;
    return {keys_.get() + begin, positions_.get() + begin, leaf.last - leaf.first};
  }
  [[nodiscard]] int length() const noexcept { return length_; }

 private:
  NeighbourLists(vertex_t n, int length)
      : length_(length), keys_(std::int64_t{n} * length), positions_(std::int64_t{n} * length) {}

  void list_distinct(const KdTreeNodes& tree, const KdNode& leaf, int i,
                     const FoundNeighbours<T>& found, int count, int most, T bound) const noexcept;
  void order_by_keys(const KdTreeNodes& tree, Cores<T>& cores, T* least_key, bool complete) const;
  void order_leaf(const KdTreeNodes& tree, const Cores<T>& cores, const KdNode& leaf,
                  SortedColumns& columns, T* least_key, bool complete) const noexcept;

  int length_;
  HostArray<T> keys_;
  HostArray<vertex_t> positions_;
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
    for (int i = 0; i < leaf.last - leaf.first; ++i) {
      lists.list_distinct(tree, leaf, i, search.neighbours(i), n_distinct, length,
                          std::numeric_limits<T>::infinity());
    }
  });
  return lists;
}

/// Lists at most `most` neighbours of the leaf's i-th point, without itself and copies of points.
template <class T>
void NeighbourLists<T>::list_distinct(const KdTreeNodes& tree, const KdNode& leaf, int i,
                                      const FoundNeighbours<T>& found, int count, int most,
                                      T bound) const noexcept {
  const LeafLists<T> lists = of(leaf);
  int level = 0;
  for (int j = 0; j < count && level < most; ++j) {
    const auto [key, q] = found[j];
    if (q == leaf.first + i || tree.is_copy(q)) continue;
    lists.keys[lists.item(level, i)] = key;
    lists.positions[lists.item(level, i)] = q;
    ++level;
  }
  for (; level < length_; ++level) {
    lists.keys[lists.item(level, i)] = bound;
    lists.positions[lists.item(level, i)] = no_vertex;
  }
}

template <class T>
template <int D>
NeighbourLists<T> NeighbourLists<T>::by_mutual_reachability(const KdTree<T, D>& tree,
                                                            std::int32_t min_samples,
                                                            Cores<T>& cores, T* least_key) {
  const vertex_t n = tree.n_positions();
  NeighbourLists lists(n, mutual_length(min_samples));
  cores.of_point = HostArray<T>(n + LeafVectors<T>::lanes);
  std::fill_n(cores.of_point.get() + n, LeafVectors<T>::lanes, T(0));
  cores.of_node.resize(tree.nodes().size());
  const auto k = std::min<vertex_t>(std::max(min_samples, lists.length()), n);
  const int kept = std::min<int>(k, lists.length());
  for_each_knn_search(
      tree, k, true, 2 * std::int64_t{n}, [&](const auto& search, std::int32_t number) {
        const KdNode& leaf = tree.nodes()[static_cast<std::size_t>(number)];
        T least = std::numeric_limits<T>::infinity();
        for (int i = 0; i < leaf.last - leaf.first; ++i) {
          const FoundNeighbours<T> found = search.neighbours(i);
          const T core = found.keys[min_samples - 1];
          cores.of_point[leaf.first + i] = core;
          least = std::min(least, core);
          // The points that are not listed are at least as far as the last one found.
          lists.list_distinct(tree, leaf, i, found, kept, lists.length() - 1, found.keys[kept - 1]);
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
  parallel_blocks(std::ssize(tree.leaves()), 64, [&](int, std::int64_t first, std::int64_t last) {
    SortedColumns columns;
    for (std::int64_t i = first; i < last; ++i) {
      const std::int32_t number = tree.leaves()[static_cast<std::size_t>(i)];
      const KdNode& leaf = tree.nodes()[static_cast<std::size_t>(number)];
      order_leaf(tree, cores, leaf, columns, least_key, complete);
    }
  });
}

/// Replaces the squared distances of a leaf's lists by keys, and sorts each by (key, id). What is
/// not below the bound is replaced by the end of the list, whose key is the bound.
template <class T>
void NeighbourLists<T>::order_leaf(const KdTreeNodes& tree, const Cores<T>& cores,
                                   const KdNode& leaf, SortedColumns& columns, T* least_key,
                                   bool complete) const noexcept {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const LeafLists<T> lists = of(leaf);
  const int last = length_ - 1;
  for (int begin = 0; begin < lists.count; begin += SortedColumns::width) {
    const int end = std::min(begin + SortedColumns::width, lists.count);
    for (int i = begin; i < end; ++i) {
      const T core = cores.of_point[leaf.first + i];
      T& end_key = lists.keys[lists.item(last, i)];
      const T bound = complete ? infinity : std::max(core, end_key * cores.factor);
      T least = infinity;
      for (int level = 0; level < last; ++level) {
        const vertex_t q = lists.positions[lists.item(level, i)];
        if (q == no_vertex) {
          columns.set(level, i - begin, bound, no_vertex, no_vertex);
          continue;
        }
        const T key = cores.key(core, cores.of_point[q], lists.keys[lists.item(level, i)]);
        least = std::min(least, key);
        const bool stays = key < bound || complete;
        columns.set(level, i - begin, stays ? key : bound, tree.id(q), stays ? q : no_vertex);
      }
      end_key = bound;
      least_key[leaf.first + i] = least;
    }
    columns.sort(last);
    for (int level = 0; level < last; ++level) {
      for (int i = begin; i < end; ++i) {
        lists.keys[lists.item(level, i)] = static_cast<T>(columns.key(level, i - begin));
        lists.positions[lists.item(level, i)] = columns.position(level, i - begin);
      }
    }
  }
}

}  // namespace warpgraph::emst
