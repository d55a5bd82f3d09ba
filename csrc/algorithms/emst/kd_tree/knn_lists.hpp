// The k nearest neighbours of every point, in the order of pairs.
//
// In each round of Boruvka's algorithm, a point needs its nearest neighbour outside its component.
// Components only grow, so the answer moves forward in the point's list, and seldom beyond its end.
// Beyond the end, the last key is a lower bound, which spares most points a search.
#pragma once

#include "algorithms/emst/kd_tree/leaf_search.hpp"

#include <atomic>

namespace warpgraph::emst {

template <class T>
struct Neighbour {
  T key;
  vertex_t position;  // or no_vertex
};

template <class T, int D>
class KnnLists {
 public:
  /// Most edges of a tree lead to one of these neighbours. Measured: shorter lists cost more in
  /// later searches than they save, longer ones cost more to build.
  static constexpr int length = D == 0 ? 8 : 7;

  /// Fills the lists of all points of the tree.
  explicit KnnLists(const KdTree<T, D>& tree);

  static std::size_t bytes(std::size_t n) { return n * length * sizeof(Neighbour<T>); }

  Neighbour<T>* of(vertex_t position) const noexcept {
    return items_.get() + static_cast<std::int64_t>(position) * length;
  }

  struct Searcher;

 private:
  HostArray<Neighbour<T>> items_;
};

/// One thread's search for the lists of a leaf. scan_leaf_simd(searcher, leaf, number) is
/// searcher.scan_leaf(leaf, number), compiled for this CPU: see emst_cpu.cpp.
template <class T, int D>
struct KnnLists<T, D>::Searcher {
  const KdTree<T, D>& tree;
  const KnnLists& lists;
  LeafSearch<T, D> search;
  std::vector<T> points;  // of the leaf, point by point
  std::array<T, leaf_capacity<D>> distances;
  std::array<T, leaf_capacity<D>> bounds;

  Searcher(const KdTree<T, D>& t, const KnnLists& l)
      : tree(t),
        lists(l),
        search(t),
        points(static_cast<std::size_t>(leaf_capacity<D>) *
               static_cast<std::size_t>(t.dimension())) {}

  [[gnu::always_inline]] void insert(Neighbour<T>* list, T key, vertex_t position) const noexcept {
    int j = length - 1;
    for (; j > 0; --j) {
      const Neighbour<T>& before = list[j - 1];
      if (before.position >= 0 &&
          (before.key < key ||
           (before.key == key && tree.id(before.position) < tree.id(position)))) {
        break;
      }
      list[j] = before;
    }
    list[j] = {key, position};
  }

  /// Inserts the points of `other` into the list of the leaf's i-th point.
  [[gnu::always_inline]] void insert_from(const KdNode& leaf, int i, const KdNode& other) noexcept {
    Neighbour<T>* list = lists.of(leaf.first + i);
    const Neighbour<T>& last = list[length - 1];
    const T* point = points.data() + i * tree.dimension();
    if (!tree.squared_distances(point, other, last.key, distances.data())) return;
    for (int j = 0; j < other.last - other.first; ++j) {
      const T key = distances[static_cast<std::size_t>(j)];
      const vertex_t position = other.first + j;
      if (key > last.key || position == leaf.first + i) continue;
      if (key == last.key && last.position >= 0 && tree.id(last.position) < tree.id(position)) {
        continue;
      }
      insert(list, key, position);
    }
  }

  /// Inserts the points of leaf `number` into the lists of all points of `leaf` within whose radius
  /// they may be.
  [[gnu::always_inline]] void scan_leaf(const KdNode& leaf, std::int32_t number) noexcept {
    const KdNode& other = tree.nodes()[static_cast<std::size_t>(number)];
    const int count = leaf.last - leaf.first;
    tree.bounds(tree.block(leaf), count, count, number, bounds.data());
    for (int i = 0; i < count; ++i) {
      const T radius = lists.of(leaf.first + i)[length - 1].key;
      if (bounds[static_cast<std::size_t>(i)] <= radius) insert_from(leaf, i, other);
    }
  }

  void fill(std::int32_t number) {
    const KdNode leaf = tree.nodes()[static_cast<std::size_t>(number)];
    const int count = leaf.last - leaf.first;
    for (int i = 0; i < count; ++i) {
      tree.copy_point(leaf, i, points.data() + i * tree.dimension());
      std::fill_n(lists.of(leaf.first + i), length,
                  Neighbour<T>{std::numeric_limits<T>::infinity(), no_vertex});
    }
    scan_leaf_simd(*this, leaf, number);
    T radius = max_radius(leaf);
    search.run(
        number, [&] { return radius; }, [](std::int32_t) { return false; },
        [&](std::int32_t other_number) {
          scan_leaf_simd(*this, leaf, other_number);
          radius = max_radius(leaf);
        });
  }

  T max_radius(const KdNode& leaf) const noexcept {
    T key = 0;
    for (vertex_t p = leaf.first; p < leaf.last; ++p) {
      key = std::max(key, lists.of(p)[length - 1].key);
    }
    return key;
  }
};

template <class T, int D>
KnnLists<T, D>::KnnLists(const KdTree<T, D>& tree)
    : items_(std::int64_t{tree.n_positions()} * length) {
  const auto n_leaves = static_cast<std::int64_t>(tree.leaves().size());
  constexpr std::int64_t leaves_per_block = D == 0 ? 1 : 32;
  std::atomic<std::int64_t> done{0};
  parallel_blocks(n_leaves, leaves_per_block, [&](int, std::int64_t first, std::int64_t last) {
    Searcher searcher(tree, *this);
    for (std::int64_t i = first; i < last; ++i) {
      searcher.fill(tree.leaves()[static_cast<std::size_t>(i)]);
    }
    const std::int64_t before = done.fetch_add(last - first, std::memory_order_relaxed);
    report_progress(before * tree.n_positions() / n_leaves, 2 * std::int64_t{tree.n_positions()});
  });
}

}  // namespace warpgraph::emst
