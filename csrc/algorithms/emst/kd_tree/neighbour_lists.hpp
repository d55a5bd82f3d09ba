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
// Where all listed neighbours are within their point's core and distances are not multiplied by
// more than 1, the larger core of a pair is its key. Then the lists have no keys, which would take
// two thirds of their memory.
//
// The lists of a leaf are stored level by level: the first neighbours of all its points, then the
// second ones, and so on. In a round, most points of a leaf advance to the same levels.
#pragma once

#include "algorithms/emst/kd_tree/sorted_columns.hpp"
#include "algorithms/emst/pair_order.hpp"
#include "primitives/kd_tree/knn_search.hpp"

namespace warpgraph::emst {

/// The arrays that mutual-reachability keys depend on, besides distances, indexed by position.
template <class T>
struct Cores {
  T factor = 1;           // of distances, but not of cores
  bool divides = false;   // distances are divided by the factor
  HostArray<T> of_point;  // a point in a leaf; and a vector beyond the last one
  HostVector<T> of_node;  // the least of the node's points

  /// Returns the key of a pair of positions whose scaled distance is at most a core.
  [[nodiscard]] T key_within(vertex_t p, vertex_t q) const noexcept {
    return std::max(of_point[p], of_point[q]);
  }
  [[nodiscard]] T scaled(T distance) const noexcept {
    return divides ? distance / factor : distance * factor;
  }
  /// Returns the key of a pair with these cores.
  [[nodiscard]] T key(T a, T b, T distance) const noexcept {
    return std::max(std::max(a, b), scaled(distance));
  }
  /// Returns whether a scaled distance may be larger than the distance.
  [[nodiscard]] bool enlarges() const noexcept { return divides ? factor < T(1) : factor > T(1); }
};

/// The lists of the points of a leaf: the neighbour at `level` of the i-th is item(level, i).
template <class T>
struct LeafLists {
  T* keys;              // or null, see above
  vertex_t* positions;  // or no_vertex
  T* bounds;            // of mutual-reachability keys, one for each point
  int count;            // of the leaf's points

  [[nodiscard]] std::size_t item(int level, int i) const noexcept {
    return static_cast<std::size_t>(level * count + i);
  }
};

template <class T>
class NeighbourLists {
 public:
  /// The length of lists of plain distances. Most edges of a tree lead to one of these neighbours.
  /// Measured: shorter lists cost more in later searches than they save, longer ones cost more to
  /// build.
  template <int D>
  static constexpr int plain_length = D == 0 ? 8 : 7;
  /// The bounds of the length of lists of mutual-reachability distances: one more than min_samples,
  /// without which no list would reach beyond the point's core. Longer lists would take much
  /// memory.
  static constexpr int min_mutual_length = 9;
  static constexpr int max_mutual_length = SortedColumns::max_length;

  [[nodiscard]] static constexpr int mutual_length(std::int32_t min_samples) {
    return std::clamp(min_samples + 1, min_mutual_length, max_mutual_length);
  }
  /// Returns whether lists of mutual-reachability keys have keys.
  [[nodiscard]] static bool mutual_has_keys(std::int64_t n, std::int32_t min_samples,
                                            bool enlarges) {
    const int length = mutual_length(min_samples);
    return length > min_samples + 1 || length >= n || enlarges;
  }
  [[nodiscard]] static std::size_t bytes(std::size_t n, int length, bool mutual, bool has_keys) {
    const std::size_t item = sizeof(vertex_t) + (has_keys ? sizeof(T) : 0);
    return n * (static_cast<std::size_t>(length) * item + (mutual ? sizeof(T) : 0));
  }

  /// Finds the nearest neighbours of all points.
  template <class Tree>
  static NeighbourLists by_distance(const Tree& tree);
  /// Finds the first neighbours by mutual-reachability keys. Computes all cores, too, and writes to
  /// least_key[p] the least key of p with a neighbour, listed or not: an upper bound.
  template <class Tree>
  static NeighbourLists by_mutual_reachability(const Tree& tree, std::int32_t min_samples,
                                               Cores<T>& cores, T* least_key);

  /// Returns the lists of a leaf. They have length() items. Those after the last neighbour are
  /// no_vertex.
  [[nodiscard]] LeafLists<T> of(const KdNode& leaf) const noexcept {
    const std::int64_t begin = std::int64_t{leaf.first} * length_;
    return {keys_ ? keys_.get() + begin : nullptr, positions_.get() + begin,
            bounds_ ? bounds_.get() + leaf.first : nullptr, leaf.last - leaf.first};
  }
  [[nodiscard]] int length() const noexcept { return length_; }

 private:
  NeighbourLists(vertex_t n, int length, bool mutual, bool has_keys)
      : length_(length), positions_(std::int64_t{n} * length) {
    if (has_keys) keys_ = HostArray<T>(std::int64_t{n} * length);
    if (mutual) bounds_ = HostArray<T>(n);
  }

  void list_distinct(const KdTreeNodes& tree, const KdNode& leaf, int i,
                     const FoundNeighbours<T>& found, int count, int most) const noexcept;
  void order_by_keys(const KdTreeNodes& tree, Cores<T>& cores, T* least_key, bool complete) const;
  template <bool HasKeys>
  void order_leaf(const KdTreeNodes& tree, const Cores<T>& cores, const KdNode& leaf,
                  SortedColumns& columns, T* least_key, bool complete) const noexcept;

  int length_;
  HostArray<vertex_t> positions_;
  HostArray<T> keys_;    // if they have keys
  HostArray<T> bounds_;  // if mutual
};

template <class T>
template <class Tree>
NeighbourLists<T> NeighbourLists<T>::by_distance(const Tree& tree) {
  constexpr int length = plain_length<Tree::fixed_dimension>;
  NeighbourLists lists(tree.n_positions(), length, false, true);
  const auto n = std::int64_t{tree.n_positions()};
  const auto n_distinct = static_cast<int>(std::min<std::int64_t>(length + 1, tree.n_distinct()));
  for_each_knn_search(tree, n_distinct, false, 2 * n, [&](const auto& search, std::int32_t number) {
    const KdNode& leaf = tree.nodes()[static_cast<std::size_t>(number)];
    for (int i = 0; i < leaf.last - leaf.first; ++i) {
      lists.list_distinct(tree, leaf, i, search.neighbours(i), n_distinct, length);
    }
  });
  return lists;
}

/// Lists at most `most` neighbours of the leaf's i-th point, without itself and copies of points.
template <class T>
void NeighbourLists<T>::list_distinct(const KdTreeNodes& tree, const KdNode& leaf, int i,
                                      const FoundNeighbours<T>& found, int count,
                                      int most) const noexcept {
  const LeafLists<T> lists = of(leaf);
  int level = 0;
  for (int j = 0; j < count && level < most; ++j) {
    const auto [key, q] = found[j];
    if (q == leaf.first + i || tree.is_copy(q)) continue;
    if (lists.keys != nullptr) lists.keys[lists.item(level, i)] = key;
    lists.positions[lists.item(level, i)] = q;
    ++level;
  }
  for (; level < length_; ++level) {
    if (lists.keys != nullptr) {
      lists.keys[lists.item(level, i)] = std::numeric_limits<T>::infinity();
    }
    lists.positions[lists.item(level, i)] = no_vertex;
  }
}

template <class T>
template <class Tree>
NeighbourLists<T> NeighbourLists<T>::by_mutual_reachability(const Tree& tree,
                                                            std::int32_t min_samples,
                                                            Cores<T>& cores, T* least_key) {
  const vertex_t n = tree.n_positions();
  const bool has_keys = mutual_has_keys(n, min_samples, cores.enlarges());
  NeighbourLists lists(n, mutual_length(min_samples), true, has_keys);
  cores.of_point = HostArray<T>(n + LeafVectors<T>::lanes);
  std::fill_n(cores.of_point.get() + n, LeafVectors<T>::lanes, T(0));
  cores.of_node.resize(tree.nodes().size());
  const auto k = std::min<vertex_t>(std::max(min_samples, lists.length()), n);
  const int kept = std::min<int>(k, lists.length());
  const int listed = has_keys ? kept : kept - 1;  // the last one may not be within the core
  for_each_knn_search(tree, k, true, 2 * std::int64_t{n},
                      [&](const auto& search, std::int32_t number) {
                        const KdNode& leaf = tree.nodes()[static_cast<std::size_t>(number)];
                        T least = std::numeric_limits<T>::infinity();
                        for (int i = 0; i < leaf.last - leaf.first; ++i) {
                          const FoundNeighbours<T> found = search.neighbours(i);
                          const T core = found.keys[min_samples - 1];
                          cores.of_point[leaf.first + i] = core;
                          least = std::min(least, core);
                          // Points that are not listed are at least as far as the last one.
                          lists.bounds_[leaf.first + i] = found.keys[kept - 1];
                          lists.list_distinct(tree, leaf, i, found, listed, lists.length() - 1);
                        }
                        cores.of_node[static_cast<std::size_t>(number)] = least;
                      });
  lists.order_by_keys(tree, cores, least_key, kept == n);
  return lists;
}

/// Replaces distances by keys, and computes the least cores of inner nodes.
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
      if (keys_) {
        order_leaf<true>(tree, cores, leaf, columns, least_key, complete);
      } else {
        order_leaf<false>(tree, cores, leaf, columns, least_key, complete);
      }
    }
  });
}

/// Replaces the distances of a leaf's lists and bounds by keys, and sorts each list by
/// (key, id). Items that are not below the bound are replaced by the end of the list.
template <class T>
template <bool HasKeys>
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
      const T bound = complete ? infinity : std::max(core, cores.scaled(lists.bounds[i]));
      T least = infinity;
      for (int level = 0; level < last; ++level) {
        const vertex_t q = lists.positions[lists.item(level, i)];
        if (q == no_vertex) {
          columns.set(level, i - begin, bound, no_vertex, no_vertex);
          continue;
        }
        T key = std::max(core, cores.of_point[q]);
        if constexpr (HasKeys) key = std::max(key, cores.scaled(lists.keys[lists.item(level, i)]));
        least = std::min(least, key);
        const bool stays = key < bound || complete;
        columns.set(level, i - begin, stays ? key : bound, tree.id(q), stays ? q : no_vertex);
      }
      lists.bounds[i] = bound;
      least_key[leaf.first + i] = least;
    }
    columns.sort(last);
    for (int level = 0; level < last; ++level) {
      for (int i = begin; i < end; ++i) {
        if constexpr (HasKeys) {
          lists.keys[lists.item(level, i)] = static_cast<T>(columns.key(level, i - begin));
        }
        lists.positions[lists.item(level, i)] = columns.position(level, i - begin);
      }
    }
  }
}

}  // namespace warpgraph::emst
