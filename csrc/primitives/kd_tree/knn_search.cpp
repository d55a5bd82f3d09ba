#include "primitives/kd_tree/knn_search.hpp"

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
      nearer_(ids_.size()),
      ordered_keys_(ids_.size()),
      ordered_positions_(ids_.size()) {
  if (k_ > max_counted) pairs_.reserve(ids_.size());
}

template <class T, int D>
KnnSearch<T, D>::KnnSearch(const KdTree<T, D>& tree, int k, bool with_copies)
    : KnnLists<T>(tree, k, with_copies, leaf_capacity<D>),
      tree_(tree),
      search_(tree),
      points_(static_cast<std::size_t>(leaf_capacity<D>) *
              static_cast<std::size_t>(tree.dimension())) {}

template <class T, int D>
void KnnSearch<T, D>::start(const KdNode& leaf) {
  block_ = tree_.block(leaf);
  count_ = leaf.last - leaf.first;
  for (int i = 0; i < count_; ++i) {
    tree_.copy_point(leaf, i, points_.data() + i * tree_.dimension());
    sizes_[static_cast<std::size_t>(i)] = 0;
  }
  radius_.fill(-1);
  std::fill_n(radius_.begin(), count_, std::numeric_limits<T>::infinity());
}

/// Sets nearer_[j] to the number of keys that are before the j-th: smaller, or, with Ties, equal
/// and of a smaller id (ids_). Returns whether all are different, so that they are an order.
template <class T>
template <int bytes, bool Ties>
inline bool KnnLists<T>::count_nearer(const T* keys, int size) noexcept {
  using Lanes = LeafVectors<T, bytes>;
  constexpr int lanes = Lanes::lanes;
  using Counts = typename Lanes::Words;
  constexpr int sign = 8 * static_cast<int>(sizeof(Count)) - 1;
  Counts lane{};
  for (int i = 0; i < lanes; ++i) lane[i] = i;
  Counts sums{};
  for (int j = 0; j < size; j += lanes) {
    const typename Lanes::Vector own = Lanes::at(keys + j);
    Counts nearer{};
    for (int i = 0; i < size; ++i) {
      nearer -= keys[i] < own;
      if constexpr (Ties) {
        const Counts own_id = *reinterpret_cast<const Counts*>(ids_.data() + j);
        const Counts is_equal = keys[i] == own;
        nearer -= is_equal & (ids_[static_cast<std::size_t>(i)] - own_id) >> sign;
      }
    }
    *reinterpret_cast<Counts*>(nearer_.data() + j) = nearer;
    const Counts is_item = lane < Count{size} - Count{j};
    sums += nearer & is_item;
  }
  Count sum = 0;
  for (int i = 0; i < lanes; ++i) sum += sums[i];
  return sum == Count{size} * (size - 1) / 2;
}

template <class T>
template <int bytes>
inline void KnnLists<T>::select_by_counting(int i) noexcept {
  const auto at = static_cast<std::size_t>(i);
  T* const keys = keys_.data() + i * capacity_;
  vertex_t* const positions = positions_.data() + i * capacity_;
  const int size = sizes_[at];
  if (!count_nearer<bytes, false>(keys, size)) {
    for (int j = 0; j < size; ++j) ids_[static_cast<std::size_t>(j)] = tree_.id(positions[j]);
    count_nearer<bytes, true>(keys, size);
  }
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

/// Considers the points of `other` for the list of the leaf's i-th point.
template <class T, int D>
template <int bytes>
inline void KnnSearch<T, D>::scan_from(int i, const KdNode& other) noexcept {
  const auto at = static_cast<std::size_t>(i);
  const T* point = points_.data() + i * tree_.dimension();
  const T radius = radius_[at];
  std::uint64_t near =
      tree_.template squared_distances<bytes>(point, other, radius, distances_.data());
  if (near == 0) return;
  T* const keys = keys_.data() + i * capacity_;
  vertex_t* const positions = positions_.data() + i * capacity_;
  const int before = sizes_[at];
  int size = before;
  for (; near != 0; near &= near - 1) {
    const int j = std::countr_zero(near);
    keys[size] = distances_[static_cast<std::size_t>(j)];
    positions[size++] = other.first + j;
  }
  sizes_[at] = size;
  if (with_copies_) this->add_copies(i, before);
  const int most = radius < std::numeric_limits<T>::infinity() ? k_ + this->slack(k_) : k_;
  if (sizes_[at] >= most) this->select(i);
}

/// Adds the copies of a list's candidates from the one with index `first` on.
template <class T>
void KnnLists<T>::add_copies(int i, int first) noexcept {
  const auto at = static_cast<std::size_t>(i);
  // A selection reorders the list, so these are copied: a leaf's points at most.
  const auto n_added = static_cast<std::size_t>(sizes_[at] - first);
  std::array<vertex_t, most_leaf_points> added;
  std::array<T, most_leaf_points> added_keys;
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

template <class T, int D>
template <int bytes>
inline void KnnSearch<T, D>::scan_leaf(std::int32_t number) noexcept {
  const KdNode& other = tree_.nodes()[static_cast<std::size_t>(number)];
  std::uint64_t near =
      tree_.template near_box<bytes>(block_, count_, count_, number, T(1), radius_.data());
  if (near == 0) return;
  for (; near != 0; near &= near - 1) scan_from<bytes>(std::countr_zero(near), other);
  using Lanes = LeafVectors<T, bytes>;
  typename Lanes::Vector most = Lanes::at(radius_.data());
  for (int i = Lanes::lanes; i < most_leaf_points; i += Lanes::lanes) {
    const typename Lanes::Vector& next = Lanes::at(radius_.data() + i);
    most = next > most ? next : most;
  }
  max_radius_ = most[0];
  for (int lane = 1; lane < Lanes::lanes; ++lane) max_radius_ = std::max(max_radius_, most[lane]);
}

template <class T>
void KnnLists<T>::finish() noexcept {
  for (int i = 0; i < count_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (k_ > max_counted) {
      select_by_partition(i, true);
    } else if (sizes_[at] > k_ || radius_[at] == std::numeric_limits<T>::infinity()) {
      select(i);
    }
  }
}

template <class T, int D>
void KnnSearch<T, D>::run(std::int32_t number) {
  start(tree_.nodes()[static_cast<std::size_t>(number)]);
  const auto scan = [this](std::int32_t other) {
    with_longest_vectors([ this, other ]<int bytes>()
                             __attribute__((always_inline)) { scan_leaf<bytes>(other); });
  };
  scan(number);
  search_.run(
      number, [&](std::int32_t node) { return tree_.bound(number, node); },
      [&] { return max_radius_; }, [](std::int32_t) { return false; }, scan);
  this->finish();
}

#define WARPGRAPH_DEFINE_KNN_SEARCH(T, D)                              \
  template KnnSearch<T, D>::KnnSearch(const KdTree<T, D>&, int, bool); \
  template void KnnSearch<T, D>::run(std::int32_t);
WARPGRAPH_FOR_EACH_DIMENSION(WARPGRAPH_DEFINE_KNN_SEARCH, float)
WARPGRAPH_FOR_EACH_DIMENSION(WARPGRAPH_DEFINE_KNN_SEARCH, double)
#undef WARPGRAPH_DEFINE_KNN_SEARCH

}  // namespace warpgraph
