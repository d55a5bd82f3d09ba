// A k-d tree in flat arrays, built on all cores.
//
// Points are stored in the order of the leaves, and the coordinates of a leaf axis by axis, so that
// distances to a whole leaf are computed by vector instructions. Nodes are in preorder: the left
// child follows its parent, the right child is at a stored offset. Each node has the tight box of
// its points.
//
// Splits put equal coordinates on one side, so identical points end in one leaf. Only the one with
// the smallest id stays there. The others are its copies: their positions follow those of the
// leaf's points and are in no leaf. Loops over distinct points are therefore loops over leaves.
//
// D: the dimension, or 0 if it is known at run time only.
#pragma once

#include "core/function_ref.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"
#include "graph/points/dimensions.hpp"
#include "graph/points/points.hpp"
#include "primitives/kd_tree/leaf_vectors.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

namespace warpgraph {

/// A dimension, a compile-time constant if D > 0.
template <int D>
struct Dimension {
  int at_run_time;
  constexpr operator int() const noexcept { return D > 0 ? D : at_run_time; }
};

/// Upper bound on the points of a leaf: one pass of vector instructions, and few enough that boxes
/// still prune. In high dimensions boxes prune little and large leaves are better tiles.
template <int D>
inline constexpr int leaf_capacity = D == 2 || D == 3 ? 40 : 64;
/// Upper bound on the points of a leaf in whole vectors of any type.
template <int D>
inline constexpr int leaf_lanes = D == 2 || D == 3 ? 48 : 64;
static_assert(leaf_capacity<0> <= max_leaf_points);

struct KdNode {
  std::int32_t right;  // offset of the right child; 0: a leaf
  vertex_t first;      // positions of the node's points: first .. last - 1
  vertex_t last;
  [[nodiscard]] bool is_leaf() const noexcept { return right == 0; }
};

/// The copies of the point at position `kept`: positions first .. last - 1, in ascending order of
/// their ids, which are larger than that of the point.
struct Copies {
  vertex_t kept;
  vertex_t first;
  vertex_t last;
};

/// The part of a tree that does not depend on coordinates.
class KdTreeNodes {
 public:
  /// Returns the number of positions, those of copies included.
  [[nodiscard]] vertex_t n_positions() const noexcept { return n_; }
  /// Returns the number of points in leaves: one of each set of identical points.
  [[nodiscard]] vertex_t n_distinct() const noexcept { return n_distinct_; }
  [[nodiscard]] vertex_t id(vertex_t position) const noexcept { return ids_[position]; }
  [[nodiscard]] const HostVector<KdNode>& nodes() const noexcept { return nodes_; }
  /// Returns the numbers of the leaves, in order.
  [[nodiscard]] const HostVector<std::int32_t>& leaves() const noexcept { return leaves_; }
  /// Calls visit(number) for every node after its children, on all threads.
  template <class Visit>
  void for_each_node_bottom_up(Visit&& visit) const;
  /// Returns the copies in ascending order of positions.
  [[nodiscard]] const std::vector<Copies>& copies() const noexcept { return copies_; }
  /// Returns the copies of a point in a leaf.
  [[nodiscard]] Copies copies_of(vertex_t position) const noexcept {
    return copies_.empty() || copies_index_[position] < 0
               ? Copies{position, 0, 0}
               : copies_[static_cast<std::size_t>(copies_index_[position])];
  }
  [[nodiscard]] bool is_copy(vertex_t position) const noexcept {
    return !copies_.empty() && copies_index_[position] == is_a_copy;
  }

 protected:
  explicit KdTreeNodes(vertex_t n) : n_(n), ids_(n) {}
  void index_copies();

  static constexpr std::int32_t has_no_copies = -1;
  static constexpr std::int32_t is_a_copy = -2;

  vertex_t n_;
  vertex_t n_distinct_ = n_;
  HostArray<vertex_t> ids_;
  HostVector<KdNode> nodes_;
  HostVector<std::int32_t> leaves_;
  // Ranges of nodes that are whole subtrees. Nodes in no range are ancestors of these.
  std::vector<std::pair<std::int32_t, std::int32_t>> subtrees_;
  std::vector<Copies> copies_;
  HostArray<std::int32_t> copies_index_;  // index of a position into copies_, unless that is empty
};

/// The part of a tree that does not depend on a dimension known at compile time, compiled once for
/// all dimensions.
template <class T>
class KdTreePoints : public KdTreeNodes {
 public:
  [[nodiscard]] int dimension() const noexcept { return n_axes_; }
  /// Returns the coordinates of a leaf's points, axis by axis; the stride is the number of its
  /// points.
  [[nodiscard]] const T* block(const KdNode& leaf) const noexcept {
    return coordinates_.get() + static_cast<std::int64_t>(leaf.first) * n_axes_;
  }
  /// Copies the coordinates of the i-th point of `leaf`.
  void copy_point(const KdNode& leaf, int i, T* to) const noexcept {
    const int count = leaf.last - leaf.first;
    for (int k = 0; k < n_axes_; ++k) to[k] = block(leaf)[k * count + i];
  }

 protected:
  struct Subtree {
    std::vector<KdNode> nodes;
    std::vector<T> boxes;
    std::vector<std::int32_t> leaves;
    std::vector<Copies> copies;
    std::vector<T> scratch;
  };

  KdTreePoints(PointsView<T> points, int n_axes);

  /// Calls build_subtree(subtree, first, last) for the points of each subtree.
  void build(PointsView<T> points, FunctionRef<void(Subtree&, vertex_t, vertex_t)> build_subtree);
  void note_copies(vertex_t kept, vertex_t first, vertex_t last, Subtree& subtree);
  void transpose_leaf(vertex_t first, vertex_t last, std::vector<T>& scratch);

  int n_axes_;                // the dimension
  HostArray<T> coordinates_;  // with those of a vector that extends beyond the last leaf
  HostVector<T> boxes_;       // box of node i: lowest, then highest corner, from i * 2 * dimension

 private:
  struct SubtreeOffset {  // numbers of a subtree's first node and leaf
    std::int32_t node = 0;
    std::int32_t leaf = 0;
  };
  struct Numbering {
    const std::vector<vertex_t>& begin;  // positions
    const std::vector<Subtree>& parts;
    std::vector<SubtreeOffset> offsets;
    std::vector<std::int32_t> above;  // nodes above all subtrees, parents first
    SubtreeOffset next;
  };

  T* row(vertex_t position) noexcept {
    return coordinates_.get() + static_cast<std::int64_t>(position) * n_axes_;
  }
  std::vector<vertex_t> scatter_points(PointsView<T> points);
  void assemble(const std::vector<vertex_t>& begin, const std::vector<Subtree>& parts);
  void number_nodes(std::size_t first, std::size_t last, Numbering& numbering);
  void fit_box_to_children(std::int32_t number);
};

/// The keys of pairs of its points are squared Euclidean distances. Searches call keys_of_lanes()
/// and the functions that follow it; a tree of another metric defines its own.
template <class T, int D>
class KdTree : public KdTreePoints<T> {
 public:
  using Number = T;
  static constexpr int fixed_dimension = D;
  /// True if scale() divides.
  static constexpr bool divides_by_factor = false;

  explicit KdTree(PointsView<T> points);

  /// Returns the bytes of the tree of n points.
  static std::size_t bytes(std::size_t n, std::size_t dimension) {
    // Sampled medians leave leaves at least a third full, and few of these are split at a gap.
    // Twice that, since subtrees are copied. The bound for copies, which up to half of the points
    // have, is equal.
    const std::size_t nodes = 2 * (3 * n / leaf_capacity<D> + 1);
    return n * (dimension * sizeof(T) + 2 * sizeof(vertex_t) + sizeof(std::uint8_t) +
                sizeof(Copies)) +
           2 * nodes * (sizeof(KdNode) + 2 * dimension * sizeof(T));
  }

  [[nodiscard]] int dimension() const noexcept { return dimension_; }
  /// Returns the coordinates of a leaf's points, axis by axis; the stride is the number of its
  /// points.
  [[nodiscard]] const T* block(const KdNode& leaf) const noexcept {
    return coordinates_.get() + static_cast<std::int64_t>(leaf.first) * dimension_;
  }
  void copy_point(const KdNode& leaf, int i, T* to) const noexcept {
    const int count = leaf.last - leaf.first;
    for (int k = 0; k < dimension_; ++k) to[k] = block(leaf)[k * count + i];
  }

  /// Computes the keys of pairs of a vector of points, whose coordinates are `stride` apart, with
  /// `other`, whose coordinates are `other_stride` apart. Keys above `limit` may be any numbers
  /// above it.
  template <int bytes, class Vector>
  [[gnu::always_inline]] void keys_of_lanes(const T* points, int stride, const T* other,
                                            int other_stride, const Vector& limit,
                                            Vector& keys) const noexcept;
  /// Returns the key of two points.
  [[nodiscard]] T key_of(const T* a, const T* b) const noexcept {
    return squared_distance(a, b, static_cast<int>(dimension_));
  }
  /// Multiplies keys by a factor.
  template <class Keys>
  [[gnu::always_inline]] static void scale(Keys& keys, T factor) noexcept {
    keys *= factor;
  }
  /// Turns limits of scaled keys into limits of the keys before, for a tree whose keys_of_lanes()
  /// compares keys with them. Here it does not.
  template <class Limits>
  [[gnu::always_inline]] static void unscale(Limits& /*limits*/, T /*factor*/) noexcept {}

  // Lower bounds of the computed squared distances between a point or node and a node's points.
  // They are sums of the same shape as the distances, of gaps that are no larger. Rounding is
  // monotone, so no bound exceeds a computed distance.

  /// Returns a mask whose bit i is set if the bound of the i-th of `count` points, times `factor`,
  /// is at most limits[i]. Coordinates are stored axis by axis, `stride` apart.
  template <int bytes>
  [[gnu::always_inline]] std::uint64_t near_box(const T* points, int stride, int count,
                                                std::int32_t node, T factor,
                                                const T* limits) const noexcept;
  [[nodiscard]] T bound(std::int32_t a, std::int32_t b) const noexcept;
  [[nodiscard]] T bound_of_point(const T* point, std::int32_t node) const noexcept;

 protected:
  using KdTreePoints<T>::boxes_;

 private:
  using typename KdTreePoints<T>::Subtree;
  using KdTreeNodes::ids_;
  using KdTreePoints<T>::coordinates_;

  T* row(vertex_t position) noexcept {
    return coordinates_.get() + static_cast<std::int64_t>(position) * dimension_;
  }
  void fit_box(vertex_t first, vertex_t last, T* box) noexcept;
  vertex_t split(vertex_t first, vertex_t last, int axis);
  void swap_points(vertex_t a, vertex_t b) noexcept;
  void build_subtree(vertex_t first, vertex_t last, Subtree& subtree, int gap_splits);
  vertex_t split_at_gap(vertex_t first, vertex_t last, int axis, const T* box);
  template <class IsLeft>
  vertex_t partition(vertex_t first, vertex_t last, IsLeft&& is_left) noexcept;
  vertex_t drop_copies(vertex_t first, vertex_t last, bool all_identical, Subtree& subtree);

  Dimension<D> dimension_;
};

/// Calls f(std::integral_constant) for the D of a tree of points of this dimension: 0 for more than
/// five, where trees for a constant would be as fast with AVX-512, and for short vectors.
template <class F>
auto with_kd_tree_dimension(std::int64_t dimension, F&& f) {
  if (dimension > 5 || has_only_short_vectors()) return f(std::integral_constant<int, 0>{});
  if (dimension <= 2) return f(std::integral_constant<int, 2>{});
  if (dimension == 3) return f(std::integral_constant<int, 3>{});
  if (dimension == 4) return f(std::integral_constant<int, 4>{});
  return f(std::integral_constant<int, 5>{});
}

/// Calls the vectors for a tree that with_kd_tree_dimension() chose. AVX-512 makes searches in up
/// to four dimensions no faster, of doubles in five 4 % and in many 40 %.
template <int D, class Loop>
auto with_kd_tree_vectors(const Loop& loop) {
  if constexpr (D == 0 || D == 5) {
    return with_longest_vectors<D == 0>(loop);
  } else {
    return with_widest_vectors<false>(loop);
  }
}

/// Expands X(T, D) for the dimensions of with_kd_tree_dimension().
#define WARPGRAPH_FOR_EACH_KD_TREE(X, T) X(T, 2) X(T, 3) X(T, 4) X(T, 5) X(T, 0)

#define WARPGRAPH_DECLARE_KD_TREE(T, D) extern template KdTree<T, D>::KdTree(PointsView<T>);
WARPGRAPH_FOR_EACH_KD_TREE(WARPGRAPH_DECLARE_KD_TREE, float)
WARPGRAPH_FOR_EACH_KD_TREE(WARPGRAPH_DECLARE_KD_TREE, double)
#undef WARPGRAPH_DECLARE_KD_TREE

template <class T, int D>
template <int bytes, class Vector>
inline void KdTree<T, D>::keys_of_lanes(const T* points, int stride, const T* other,
                                        int other_stride, const Vector& /*limit*/,
                                        Vector& keys) const noexcept {
  using Lanes = LeafVectors<T, bytes>;
  Vector sum{};
  for (int k = 0; k < dimension_; ++k) {
    const Vector difference = Lanes::at(points + k * stride).lanes - other[k * other_stride];
    sum += difference * difference;
  }
  keys = sum;
}

/// Computes the keys of pairs of a point and each point of `leaf`; `to` has leaf_lanes<D> items.
/// Bit i of the result is set if the i-th is at most `limit`. Vectors have `bytes` bytes.
template <int bytes, class Tree, class T = typename Tree::Number>
[[gnu::always_inline]] inline std::uint64_t keys_of_leaf(const Tree& tree, const T* point,
                                                         const KdNode& leaf, T limit,
                                                         T* to) noexcept {
  using Lanes = LeafVectors<T, bytes>;
  using Vector = typename Lanes::Passed;
  const T* from = tree.block(leaf);
  const int count = leaf.last - leaf.first;
  const Vector limits = limit - Vector{};
  return Lanes::bits_of(
      count, [&](int i, auto& near) __attribute__((always_inline)) {
        Vector keys;
        tree.template keys_of_lanes<bytes>(from + i, count, point, 1, limits, keys);
        Lanes::at(to + i).lanes = keys;
        near = keys <= limits;
      });
}

template <class T, int D>
template <int bytes>
inline std::uint64_t KdTree<T, D>::near_box(const T* points, int stride, int count,
                                            std::int32_t node, T factor,
                                            const T* limits) const noexcept {
  using Lanes = LeafVectors<T, bytes>;
  const T* low = boxes_.data() + static_cast<std::int64_t>(node) * 2 * dimension_;
  const T* high = low + dimension_;
  return Lanes::bits_of(
      count, [&](int i, auto& near) __attribute__((always_inline)) {
        typename Lanes::Vector sum{};
        for (int k = 0; k < dimension_; ++k) {
          const typename Lanes::Vector x = Lanes::at(points + k * stride + i).lanes;
          const typename Lanes::Vector below = low[k] - x;
          const typename Lanes::Vector above = x - high[k];
          typename Lanes::Vector gap = below > above ? below : above;
          gap = gap > T(0) ? gap : typename Lanes::Vector{};
          sum += gap * gap;
        }
        near = sum * factor <= Lanes::at(limits + i).lanes;
      });
}

template <class Visit>
void KdTreeNodes::for_each_node_bottom_up(Visit&& visit) const {
  // In preorder children follow their parents, so a backward loop reaches them first.
  parallel_for(
      static_cast<std::int64_t>(subtrees_.size()),
      [&](std::int64_t i) {
        const auto& [first, last] = subtrees_[static_cast<std::size_t>(i)];
        for (std::int32_t number = last; number-- > first;) visit(number);
      },
      1);
  auto end = static_cast<std::int32_t>(nodes_.size());
  for (std::size_t i = subtrees_.size(); i-- > 0;) {
    for (std::int32_t number = end; number-- > subtrees_[i].second;) visit(number);
    end = subtrees_[i].first;
  }
  for (std::int32_t number = end; number-- > 0;) visit(number);
}

template <class T, int D>
T KdTree<T, D>::bound(std::int32_t a, std::int32_t b) const noexcept {
  const T* low_a = boxes_.data() + static_cast<std::int64_t>(a) * 2 * dimension_;
  const T* low_b = boxes_.data() + static_cast<std::int64_t>(b) * 2 * dimension_;
  const T* high_a = low_a + dimension_;
  const T* high_b = low_b + dimension_;
  T sum = 0;
  for (int k = 0; k < dimension_; ++k) {
    const T gap = std::max(std::max(low_a[k] - high_b[k], low_b[k] - high_a[k]), T(0));
    sum += gap * gap;
  }
  return sum;
}

template <class T, int D>
T KdTree<T, D>::bound_of_point(const T* point, std::int32_t node) const noexcept {
  const T* low = boxes_.data() + static_cast<std::int64_t>(node) * 2 * dimension_;
  const T* high = low + dimension_;
  T sum = 0;
  for (int k = 0; k < dimension_; ++k) {
    const T gap = std::max(std::max(low[k] - point[k], point[k] - high[k]), T(0));
    sum += gap * gap;
  }
  return sum;
}

}  // namespace warpgraph
