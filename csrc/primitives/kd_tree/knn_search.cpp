#include "primitives/kd_tree/knn_search.hpp"

#include "primitives/kd_tree/knn_search_leaves.hpp"

#include <bit>

namespace warpgraph {

template <class T>
KnnLists<T>::KnnLists(const KdTreeNodes& tree, int k, bool with_copies, int leaf_capacity)
    : k_(k),
      with_copies_(with_copies && !tree.copies().empty()),
      capacity_(capacity(k, leaf_capacity)),
      keys_(static_cast<std::size_t>(leaf_capacity) * static_cast<std::size_t>(capacity_)),
      positions_(keys_.size()),
      tree_(tree),
      ids_(static_cast<std::size_t>(capacity_)),
      upper_(ids_.size() + longest_vector / sizeof(std::int32_t)),
      nearer_(upper_.size()),
      ordered_keys_(ids_.size()),
      ordered_positions_(ids_.size()) {
  if (k_ > max_counted) pairs_.reserve(ids_.size());
}

/// Sets nearer_[j] to the number of keys that are smaller than the j-th by their upper 32 bits,
/// which have the order of the keys, since these are not negative. Returns whether all are
/// different, and so define an order. An instruction compares twice as many of them as of doubles.
template <class T>
template <int bytes>
inline bool KnnLists<T>::count_nearer(const T* keys, int size) noexcept {
  using Lanes = LeafVectors<T, bytes>;
  constexpr int lanes = Lanes::lanes;
  using Narrow = typename VectorOf<std::int32_t, lanes * sizeof(std::int32_t)>::unaligned;
  using Counts = typename VectorOf<std::int32_t, bytes>::unaligned;
  constexpr int width = bytes / static_cast<int>(sizeof(std::int32_t));
  constexpr int shift = 8 * static_cast<int>(sizeof(Count) - sizeof(std::int32_t));
  std::int32_t* const upper = upper_.data();
  for (int j = 0; j < size; j += lanes) {
    const auto bits = *reinterpret_cast<const typename Lanes::Words*>(keys + j) >> shift;
    *reinterpret_cast<Narrow*>(upper + j) = __builtin_convertvector(bits, Narrow);
  }
  Counts lane{};
  for (int i = 0; i < width; ++i) lane[i] = i;
  Counts sums{};
  for (int j = 0; j < size; j += width) {
    const Counts own = *reinterpret_cast<const Counts*>(upper + j);
    Counts nearer{};
    for (int i = 0; i < size; ++i) nearer -= upper[i] < own;
    *reinterpret_cast<Counts*>(nearer_.data() + j) = nearer;
    sums += nearer & (lane < size - j);
  }
  std::int32_t sum = 0;
  for (int i = 0; i < width; ++i) sum += sums[i];
  return sum == size * (size - 1) / 2;
}

/// Sets nearer_[j] to the number of points before the j-th in the order of (key, id).
template <class T>
template <int bytes>
inline void KnnLists<T>::count_nearer_by_ids(const T* keys, const vertex_t* positions,
                                             int size) noexcept {
  for (int j = 0; j < size; ++j) ids_[static_cast<std::size_t>(j)] = tree_.id(positions[j]);
  using Lanes = LeafVectors<T, bytes>;
  constexpr int lanes = Lanes::lanes;
  using Counts = typename Lanes::Words;
  using Narrow = typename VectorOf<std::int32_t, lanes * sizeof(std::int32_t)>::unaligned;
  constexpr int sign = 8 * static_cast<int>(sizeof(Count)) - 1;
  for (int j = 0; j < size; j += lanes) {
    const typename Lanes::Vector own = Lanes::at(keys + j).lanes;
    const Counts own_id = *reinterpret_cast<const Counts*>(ids_.data() + j);
    Counts nearer{};
    for (int i = 0; i < size; ++i) {
      const Counts is_equal = keys[i] == own;
      nearer -= keys[i] < own;
      nearer -= is_equal & (ids_[static_cast<std::size_t>(i)] - own_id) >> sign;
    }
    *reinterpret_cast<Narrow*>(nearer_.data() + j) = __builtin_convertvector(nearer, Narrow);
  }
}

template <class T>
template <int bytes>
inline void KnnLists<T>::select_by_counting(int i) noexcept {
  const auto at = static_cast<std::size_t>(i);
  T* const keys = keys_.data() + i * capacity_;
  vertex_t* const positions = positions_.data() + i * capacity_;
  const int size = sizes_[at];
  if (!count_nearer<bytes>(keys, size)) count_nearer_by_ids<bytes>(keys, positions, size);
  for (int j = 0; j < size; ++j) {
    const auto to = static_cast<std::size_t>(nearer_[static_cast<std::size_t>(j)]);
    ordered_keys_[to] = keys[j];
    ordered_positions_[to] = positions[j];
  }
  constexpr int lanes = LeafVectors<T, bytes>::lanes;
  using Keys = typename LeafVectors<T, bytes>::Vector;
  using Positions = typename VectorOf<vertex_t, lanes * sizeof(vertex_t)>::unaligned;
  for (int j = 0; j < k_; j += lanes) {
    *reinterpret_cast<Keys*>(keys + j) = *reinterpret_cast<const Keys*>(ordered_keys_.data() + j);
    *reinterpret_cast<Positions*>(positions + j) =
        *reinterpret_cast<const Positions*>(ordered_positions_.data() + j);
  }
  sizes_[at] = k_;
  in_order_[at] = true;
  radius_[at] = keys[k_ - 1];
}

/// Keeps the k nearest of a list, in order if k is small.
template <class T>
void KnnLists<T>::select(int i) noexcept {
  if (k_ > max_counted) return select_by_partition(i, false);
  with_longest_vectors([ this, i ]<int bytes>()
                           __attribute__((always_inline)) { select_by_counting<bytes>(i); });
}

template <class T>
void KnnLists<T>::select_by_partition(int i, bool in_order) noexcept {
  const auto at = static_cast<std::size_t>(i);
  T* const keys = keys_.data() + i * capacity_;
  vertex_t* const positions = positions_.data() + i * capacity_;
  pairs_.clear();
  for (int j = 0; j < sizes_[at]; ++j) pairs_.push_back({keys[j], positions[j]});
  const auto order = [this](const Neighbour<T>& a, const Neighbour<T>& b) { return before(a, b); };
  std::nth_element(pairs_.begin(), pairs_.begin() + (k_ - 1), pairs_.end(), order);
  if (in_order) std::sort(pairs_.begin(), pairs_.begin() + k_, order);
  for (int j = 0; j < k_; ++j) {
    keys[j] = pairs_[static_cast<std::size_t>(j)].key;
    positions[j] = pairs_[static_cast<std::size_t>(j)].position;
  }
  sizes_[at] = k_;
  radius_[at] = keys[k_ - 1];
}

/// Adds points of a leaf, whose first one is at position `first`, to the list of the i-th point:
/// those at the set bits of `near`. Their distances are `stride` apart.
template <class T>
void KnnLists<T>::add(int i, vertex_t first, const T* distances, int stride,
                      std::uint64_t near) noexcept {
  const auto at = static_cast<std::size_t>(i);
  T* const keys = keys_.data() + i * capacity_;
  vertex_t* const positions = positions_.data() + i * capacity_;
  const int before = sizes_[at];
  int size = before;
  for (; near != 0; near &= near - 1) {
    const int j = std::countr_zero(near);
    keys[size] = distances[j * stride];
    positions[size++] = first + j;
  }
  sizes_[at] = size;
  if (with_copies_) add_copies(i, before);
  in_order_[at] = false;
  const int most = radius_[at] < std::numeric_limits<T>::infinity() ? k_ + slack(k_) : k_;
  if (sizes_[at] >= most) select(i);
}

/// Adds the copies of a list's candidates from the one with index `first` on.
template <class T>
void KnnLists<T>::add_copies(int i, int first) noexcept {
  const auto at = static_cast<std::size_t>(i);
  // A selection reorders the list, so these are copied: a leaf's points at most.
  const auto n_added = static_cast<std::size_t>(sizes_[at] - first);
  std::array<vertex_t, max_leaf_points> added;
  std::array<T, max_leaf_points> added_keys;
  std::copy_n(positions_.begin() + (i * capacity_ + first), n_added, added.begin());
  std::copy_n(keys_.begin() + (i * capacity_ + first), n_added, added_keys.begin());
  for (std::size_t j = 0; j < n_added; ++j) {
    const T key = added_keys[j];
    const Copies copies = tree_.copies_of(added[j]);
    // k of them, in ascending order of ids, are enough.
    const vertex_t last = copies.first + std::min<vertex_t>(copies.last - copies.first, k_);
    for (vertex_t p = copies.first; p < last && key <= radius_[at]; ++p) {
      if (sizes_[at] == capacity_) select(i);
      keys_[static_cast<std::size_t>(i * capacity_ + sizes_[at])] = key;
      positions_[static_cast<std::size_t>(i * capacity_ + sizes_[at])] = p;
      ++sizes_[at];
    }
  }
}

template <class T>
void KnnLists<T>::finish() noexcept {
  for (int i = 0; i < count_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (k_ > max_counted) {
      select_by_partition(i, true);
    } else if (!in_order_[at]) {
      select(i);
    }
  }
}

template class KnnLists<float>;
template class KnnLists<double>;

#define WARPGRAPH_DEFINE_KNN_SEARCH(T, D)                              \
  template KnnSearch<T, D>::KnnSearch(const KdTree<T, D>&, int, bool); \
  template void KnnSearch<T, D>::run(std::int32_t);
WARPGRAPH_FOR_EACH_KD_TREE(WARPGRAPH_DEFINE_KNN_SEARCH, float)
WARPGRAPH_FOR_EACH_KD_TREE(WARPGRAPH_DEFINE_KNN_SEARCH, double)
#undef WARPGRAPH_DEFINE_KNN_SEARCH

}  // namespace warpgraph
