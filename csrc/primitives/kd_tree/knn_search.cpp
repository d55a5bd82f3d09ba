#include "primitives/kd_tree/knn_search.hpp"

#include "core/threads/this_cpu.hpp"

namespace warpgraph {

template <class T, int D>
KnnSearch<T, D>::KnnSearch(const KdTree<T, D>& tree, int k, bool with_copies)
    : tree_(tree),
      k_(k),
      with_copies_(with_copies && !tree.copies().empty()),
      capacity_(static_cast<int>(capacity(k))),
      search_(tree),
      points_(static_cast<std::size_t>(leaf_capacity<D>) *
              static_cast<std::size_t>(tree.dimension())),
      items_(static_cast<std::size_t>(leaf_capacity<D>) * static_cast<std::size_t>(capacity_)) {}

template <class T, int D>
void KnnSearch<T, D>::start(const KdNode& leaf) {
  block_ = tree_.block(leaf);
  count_ = leaf.last - leaf.first;
  for (int i = 0; i < count_; ++i) {
    tree_.copy_point(leaf, i, points_.data() + i * tree_.dimension());
    sizes_[static_cast<std::size_t>(i)] = 0;
    radius_[static_cast<std::size_t>(i)] = std::numeric_limits<T>::infinity();
    if (is_ordered()) {
      std::fill_n(items(i), k_, Neighbour<T>{std::numeric_limits<T>::infinity(), no_vertex});
    }
  }
}

/// Inserts into a list in order.
template <class T, int D>
inline void KnnSearch<T, D>::insert(int i, Neighbour<T> candidate) noexcept {
  Neighbour<T>* const list = items(i);
  const Neighbour<T>& last = list[k_ - 1];
  if (candidate.key == last.key && last.position >= 0 && !before(candidate, last)) return;
  int j = k_ - 1;
  for (; j > 0; --j) {
    const Neighbour<T>& above = list[j - 1];
    if (above.position >= 0 &&
        (above.key < candidate.key || (above.key == candidate.key && before(above, candidate)))) {
      break;
    }
    list[j] = above;
  }
  list[j] = candidate;
  radius_[static_cast<std::size_t>(i)] = last.key;
}

/// Keeps the k nearest of a list without an order.
template <class T, int D>
void KnnSearch<T, D>::select(int i) noexcept {
  const auto at = static_cast<std::size_t>(i);
  std::nth_element(items(i), items(i) + (k_ - 1), items(i) + sizes_[at],
                   [this](const Neighbour<T>& a, const Neighbour<T>& b) { return before(a, b); });
  sizes_[at] = k_;
  radius_[at] = items(i)[k_ - 1].key;
}

template <class T, int D>
inline void KnnSearch<T, D>::add(int i, Neighbour<T> candidate) noexcept {
  if (is_ordered()) return insert(i, candidate);
  const auto at = static_cast<std::size_t>(i);
  items(i)[sizes_[at]++] = candidate;
  if (sizes_[at] == capacity_) select(i);
}

/// Considers the points of `other` for the list of the leaf's i-th point.
template <class T, int D>
inline void KnnSearch<T, D>::scan_from(int i, const KdNode& other) noexcept {
  const auto at = static_cast<std::size_t>(i);
  const T* point = points_.data() + i * tree_.dimension();
  if (!tree_.squared_distances(point, other, radius_[at], distances_.data())) return;
  for (int j = 0; j < other.last - other.first; ++j) {
    const T key = distances_[static_cast<std::size_t>(j)];
    if (key > radius_[at]) continue;
    add(i, {key, other.first + j});
    if (!with_copies_) continue;
    const Copies copies = tree_.copies_of(other.first + j);
    // k of them, in ascending order of ids, are enough.
    const vertex_t last = copies.first + std::min<vertex_t>(copies.last - copies.first, k_);
    for (vertex_t p = copies.first; p < last && key <= radius_[at]; ++p) add(i, {key, p});
  }
  if (!is_ordered() && sizes_[at] >= k_ + k_ / 4) select(i);
}

template <class T, int D>
inline void KnnSearch<T, D>::scan_leaf(std::int32_t number) noexcept {
  const KdNode& other = tree_.nodes()[static_cast<std::size_t>(number)];
  tree_.bounds(block_, count_, count_, number, bounds_.data());
  for (int i = 0; i < count_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (bounds_[at] <= radius_[at]) scan_from(i, other);
  }
}

// The inner loops, compiled for several vector instruction sets: see this_cpu.hpp.
#define WARPGRAPH_DEFINE_LEAF_SCAN(T, D)                                                         \
  WARPGRAPH_FOR_THIS_CPU_UP_TO_AVX512 static void scan_leaf_simd(KnnSearch<T, D>& search,        \
                                                                 std::int32_t number) noexcept { \
    search.scan_leaf(number);                                                                    \
  }
WARPGRAPH_FOR_EACH_DIMENSION(WARPGRAPH_DEFINE_LEAF_SCAN, float)
WARPGRAPH_FOR_EACH_DIMENSION(WARPGRAPH_DEFINE_LEAF_SCAN, double)
#undef WARPGRAPH_DEFINE_LEAF_SCAN

template <class T, int D>
void KnnSearch<T, D>::run(std::int32_t number) {
  start(tree_.nodes()[static_cast<std::size_t>(number)]);
  scan_leaf_simd(*this, number);
  T radius = max_radius();
  search_.run(
      number, [&](std::int32_t node) { return tree_.bound(number, node); }, [&] { return radius; },
      [](std::int32_t) { return false; },
      [&](std::int32_t other) {
        scan_leaf_simd(*this, other);
        radius = max_radius();
      });
  if (is_ordered()) return;
  for (int i = 0; i < count_; ++i) {
    if (sizes_[static_cast<std::size_t>(i)] > k_) select(i);
    std::sort(items(i), items(i) + k_,
              [this](const Neighbour<T>& a, const Neighbour<T>& b) { return before(a, b); });
  }
}

#define WARPGRAPH_DEFINE_KNN_SEARCH(T, D) template class KnnSearch<T, D>;
WARPGRAPH_FOR_EACH_DIMENSION(WARPGRAPH_DEFINE_KNN_SEARCH, float)
WARPGRAPH_FOR_EACH_DIMENSION(WARPGRAPH_DEFINE_KNN_SEARCH, double)
#undef WARPGRAPH_DEFINE_KNN_SEARCH

}  // namespace warpgraph
