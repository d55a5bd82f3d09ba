// The k nearest neighbours of the points of a KdTree, in the order of (squared distance, id).
//
// All points of a leaf share one traversal of the tree. The candidates of each point are a list in
// order while k is small, into which nearer ones are inserted. For a large k, they are collected
// without an order, and selecting the k nearest drops the others now and then: that takes constant
// time for a candidate instead of O(k).
#pragma once

#include "primitives/kd_tree/leaf_search.hpp"

#include <atomic>

namespace warpgraph {

template <class T>
struct Neighbour {
  T key;
  vertex_t position;  // or no_vertex
};

/// One thread's search.
template <class T, int D>
class KnnSearch {
 public:
  /// k: 1 .. the number of points, or of distinct points.
  KnnSearch(const KdTree<T, D>& tree, int k, bool with_copies);

  /// Bytes that a search takes.
  static std::size_t bytes(int k, std::size_t dimension) {
    return static_cast<std::size_t>(leaf_capacity<D>) *
           (capacity(k) * sizeof(Neighbour<T>) + dimension * sizeof(T));
  }

  /// Finds the neighbours of all points of leaf `number`.
  void run(std::int32_t number);
  /// The neighbours of the i-th point of that leaf, itself included, k in order.
  [[nodiscard]] const Neighbour<T>* neighbours(int i) const noexcept {
    return items_.data() + i * capacity_;
  }

  /// Considers the points of leaf `number` for the lists of all points of the leaf within whose
  /// radius they may be. For knn_search.cpp only, which compiles it for several instruction sets.
  [[gnu::always_inline]] void scan_leaf(std::int32_t number) noexcept;

 private:
  /// Up to this k, lists are in order.
  static constexpr int max_ordered = 24;

  static std::size_t capacity(int k) {
    const auto ordered = static_cast<std::size_t>(k);
    return k <= max_ordered ? ordered : 2 * ordered + leaf_capacity<D>;
  }
  [[nodiscard]] bool is_ordered() const noexcept { return k_ <= max_ordered; }
  Neighbour<T>* items(int i) noexcept { return items_.data() + i * capacity_; }
  [[nodiscard]] bool before(const Neighbour<T>& a, const Neighbour<T>& b) const noexcept {
    return a.key != b.key ? a.key < b.key : tree_.id(a.position) < tree_.id(b.position);
  }
  void start(const KdNode& leaf);
  [[gnu::always_inline]] void scan_from(int i, const KdNode& other) noexcept;
  [[gnu::always_inline]] void add(int i, Neighbour<T> candidate) noexcept;
  [[gnu::always_inline]] void insert(int i, Neighbour<T> candidate) noexcept;
  void select(int i) noexcept;
  [[nodiscard]] T max_radius() const noexcept {
    return *std::max_element(radius_.begin(), radius_.begin() + count_);
  }

  const KdTree<T, D>& tree_;
  int k_;
  bool with_copies_;
  int capacity_;  // of a list
  LeafSearch<T, D> search_;
  const T* block_ = nullptr;  // of the leaf
  int count_ = 0;             // of the leaf's points
  std::vector<T> points_;     // the same, point by point
  std::vector<Neighbour<T>> items_;
  std::array<int, leaf_capacity<D>> sizes_;  // of lists without an order
  std::array<T, leaf_capacity<D>> radius_;   // of a full list: its last key
  std::array<T, leaf_capacity<D>> bounds_;
  std::array<T, leaf_capacity<D>> distances_;
};

#define WARPGRAPH_DECLARE_KNN_SEARCH(T, D) extern template class KnnSearch<T, D>;
WARPGRAPH_FOR_EACH_DIMENSION(WARPGRAPH_DECLARE_KNN_SEARCH, float)
WARPGRAPH_FOR_EACH_DIMENSION(WARPGRAPH_DECLARE_KNN_SEARCH, double)
#undef WARPGRAPH_DECLARE_KNN_SEARCH

/// Searches from all leaves, on all threads, and calls visit(search, number) after the search from
/// leaf `number`. Reports progress up to `total`.
template <class T, int D, class Visit>
void for_each_knn_search(const KdTree<T, D>& tree, int k, bool with_copies, std::int64_t total,
                         Visit&& visit) {
  const auto n_leaves = static_cast<std::int64_t>(tree.leaves().size());
  const std::int64_t leaves_per_block = D == 0 || k > 32 ? 1 : 32;
  std::atomic<std::int64_t> done{0};
  parallel_blocks(n_leaves, leaves_per_block, [&](int, std::int64_t first, std::int64_t last) {
    KnnSearch<T, D> search(tree, k, with_copies);
    for (std::int64_t i = first; i < last; ++i) {
      const std::int32_t number = tree.leaves()[static_cast<std::size_t>(i)];
      search.run(number);
      visit(search, number);
    }
    const std::int64_t before = done.fetch_add(last - first, std::memory_order_relaxed);
    report_progress(before * tree.n_positions() / n_leaves, total);
  });
}

}  // namespace warpgraph
