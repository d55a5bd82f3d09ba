// The k nearest neighbours of the points of a KdTree, in the order of (key, id); keys are squared
// distances, or those of another tree.
//
// All points of a leaf share one traversal of the tree. Its own points come first, a vector of
// lists at a time: few more of them than k are candidates, since the k-th distance is first bounded
// by interpolation between distances within which too few and enough points are. (With a selection
// among all points of the leaf instead, 8 neighbours took 1.25 times as long.) The candidates of
// each point are collected without branches. When there are a few more than k, the k nearest are
// selected: for a small k by counting for each candidate the nearer ones, which vector instructions
// do without a mispredicted branch (with insertion into sorted lists, a whole spanning tree
// took 1.4 times as long); for a large k by partitioning, in constant time for a candidate.
#pragma once

#include "core/function_ref.hpp"
#include "primitives/kd_tree/leaf_search.hpp"

#include <array>
#include <atomic>
#include <type_traits>

namespace warpgraph {

template <class T>
struct Neighbour {
  T key;
  vertex_t position;  // or no_vertex
};

/// The neighbours of a point, in order.
template <class T>
struct FoundNeighbours {
  const T* keys;
  const vertex_t* positions;
  Neighbour<T> operator[](std::int64_t i) const noexcept { return {keys[i], positions[i]}; }
};

/// The lists of the candidates of a leaf's points. Compiled once for all dimensions.
template <class T>
class KnnLists {
 public:
  /// Returns the k neighbours of the i-th point of the leaf, itself included.
  [[nodiscard]] FoundNeighbours<T> neighbours(int i) const noexcept {
    return {keys_.data() + i * capacity_, positions_.data() + i * capacity_};
  }

  /// Makes the k nearest of each list its first ones, in order.
  void finish() noexcept;

 protected:
  KnnLists(const KdTreeNodes& tree, int k, bool with_copies, int leaf_capacity);

  /// Returns by how many more than k a list grows before a selection, as measured.
  static int slack(int k) { return k <= max_counted ? 3 : k / 4; }
  /// Returns the space for a selection's candidates and those of one more leaf, in whole vectors.
  static int capacity(int k, int leaf_capacity) {
    return (k + slack(k) + leaf_capacity + longest_lanes) / longest_lanes * longest_lanes;
  }
  template <int bytes>
  [[gnu::always_inline]] void bound_radii(int begin, const T* rows) noexcept;
  template <int bytes>
  [[gnu::always_inline]] void add_own(int begin, vertex_t first, const T* rows) noexcept;
  void add(int i, vertex_t first, const T* distances, int stride, std::uint64_t near) noexcept;
  void add_copies(int i, int first) noexcept;
  void select(int i) noexcept;

  int k_;
  bool with_copies_;
  int capacity_;   // capacity of a list
  int count_ = 0;  // number of the leaf's points
  std::vector<T> keys_;
  std::vector<vertex_t> positions_;
  std::array<int, max_leaf_points> sizes_;      // sizes of lists
  std::array<bool, max_leaf_points> in_order_;  // true for lists that are ordered
  // An upper bound on a list's k-th key, inf before there is one; below 0 beyond the leaf's points.
  std::array<T, max_leaf_points> radius_;
  T max_radius_ = 0;

 private:
  /// An integer as wide as T.
  using Count = typename LeafVectors<T>::Word;
  static constexpr int longest_lanes = LeafVectors<T>::lanes;
  /// Largest k for which selection is by counting.
  static constexpr int max_counted = 40;

  [[nodiscard]] bool before(const Neighbour<T>& a, const Neighbour<T>& b) const noexcept {
    return a.key != b.key ? a.key < b.key : tree_.id(a.position) < tree_.id(b.position);
  }
  template <int bytes>
  [[gnu::always_inline]] bool count_nearer(const T* keys, int size) noexcept;
  template <int bytes>
  [[gnu::always_inline]] void count_nearer_by_ids(const T* keys, const vertex_t* positions,
                                                  int size) noexcept;
  template <int bytes>
  [[gnu::always_inline]] void select_by_counting(int i) noexcept;
  void select_by_partition(int i, bool in_order) noexcept;

  const KdTreeNodes& tree_;
  // Buffers of a selection.
  std::vector<Count> ids_;
  std::vector<std::int32_t> upper_;
  std::vector<std::int32_t> nearer_;
  std::vector<T> ordered_keys_;
  std::vector<vertex_t> ordered_positions_;
  std::vector<Neighbour<T>> pairs_;
};

/// The search of one thread.
template <class T, int D, class Tree = KdTree<T, D>>
class KnnSearch : public KnnLists<T> {
 public:
  /// Makes a search; k is at least 1 and at most the number of points, or of distinct points.
  KnnSearch(const Tree& tree, int k, bool with_copies);

  /// Returns the bytes that a search takes.
  static std::size_t bytes(int k, std::size_t dimension) {
    const auto capacity = static_cast<std::size_t>(KnnLists<T>::capacity(k, leaf_capacity<D>));
    return static_cast<std::size_t>(leaf_capacity<D>) *
               (capacity * (sizeof(T) + sizeof(vertex_t)) + dimension * sizeof(T)) +
           capacity * 4 * sizeof(Neighbour<T>) + longest_vector * max_leaf_points;
  }

  /// Finds the neighbours of all points of leaf `number`.
  void run(std::int32_t number);

 private:
  using KnnLists<T>::k_;
  using KnnLists<T>::with_copies_;
  using KnnLists<T>::capacity_;
  using KnnLists<T>::count_;
  using KnnLists<T>::keys_;
  using KnnLists<T>::positions_;
  using KnnLists<T>::sizes_;
  using KnnLists<T>::radius_;
  using KnnLists<T>::max_radius_;

  void start(const KdNode& leaf);
  template <int bytes>
  [[gnu::always_inline]] void scan_own_leaf(std::int32_t number) noexcept;
  template <int bytes>
  [[gnu::always_inline]] void scan_leaf(std::int32_t number) noexcept;
  template <int bytes>
  [[gnu::always_inline]] void find_max_radius() noexcept;
  template <int bytes>
  [[gnu::always_inline]] void scan_from(int i, const KdNode& other) noexcept;

  const Tree& tree_;
  LeafSearch<T, D> search_;
  const T* block_ = nullptr;  // block of the leaf
  std::vector<T> points_;     // points of the leaf, point by point
  std::array<T, leaf_lanes<D>> distances_;
  // distances for a vector of lists
  std::array<T, max_leaf_points * LeafVectors<T>::lanes> own_distances_;
};

#define WARPGRAPH_DECLARE_KNN_SEARCH(T, D)                                    \
  extern template KnnSearch<T, D>::KnnSearch(const KdTree<T, D>&, int, bool); \
  extern template void KnnSearch<T, D>::run(std::int32_t);
WARPGRAPH_FOR_EACH_KD_TREE(WARPGRAPH_DECLARE_KNN_SEARCH, float)
WARPGRAPH_FOR_EACH_KD_TREE(WARPGRAPH_DECLARE_KNN_SEARCH, double)
#undef WARPGRAPH_DECLARE_KNN_SEARCH

/// Searches from all leaves, on all threads, and calls visit(search, number) after the search from
/// leaf `number`. Reports progress up to `total`. Compiled once for each kind of tree.
template <class Tree>
void for_each_knn_search(
    const Tree& tree, int k, bool with_copies, std::int64_t total,
    FunctionRef<void(const KnnLists<typename Tree::Number>&, std::int32_t)> visit) {
  constexpr int D = Tree::fixed_dimension;
  const auto n_leaves = static_cast<std::int64_t>(tree.leaves().size());
  const std::int64_t leaves_per_block = D == 0 || k > 32 ? 1 : 32;
  std::atomic<std::int64_t> done{0};
  parallel_blocks(n_leaves, leaves_per_block, [&](int, std::int64_t first, std::int64_t last) {
    KnnSearch<typename Tree::Number, D, Tree> search(tree, k, with_copies);
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
