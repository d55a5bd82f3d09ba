// The searches of KnnSearch, to be compiled for a tree: knn_search.cpp does that for squared
// distances.
#pragma once

#include "primitives/kd_tree/knn_search.hpp"

#include <bit>

namespace warpgraph {

template <class T, int D, class Tree>
KnnSearch<T, D, Tree>::KnnSearch(const Tree& tree, int k, bool with_copies)
    : KnnLists<T>(tree, k, with_copies, leaf_capacity<D>),
      tree_(tree),
      search_(tree),
      points_(static_cast<std::size_t>(leaf_capacity<D>) *
              static_cast<std::size_t>(tree.dimension())) {}

template <class T, int D, class Tree>
void KnnSearch<T, D, Tree>::start(const KdNode& leaf) {
  block_ = tree_.block(leaf);
  count_ = leaf.last - leaf.first;
  for (int i = 0; i < count_; ++i) {
    tree_.copy_point(leaf, i, points_.data() + i * tree_.dimension());
    sizes_[static_cast<std::size_t>(i)] = 0;
  }
  radius_.fill(-1);
  std::fill_n(radius_.begin(), count_, std::numeric_limits<T>::infinity());
}

/// Lowers the radii of a vector of points, from `begin` on, to distances within which at least k
/// points of their leaf are, and seldom many more, by interpolation. The j-th vector of `rows` has
/// their distances to the leaf's j-th point.
template <class T>
template <int bytes>
inline void KnnLists<T>::bound_radii(int begin, const T* rows) noexcept {
  using Lanes = LeafVectors<T, bytes>;
  constexpr int lanes = Lanes::lanes;
  using Vector = typename Lanes::Vector;
  constexpr int n_steps = 3;
  if (count_ < k_) return;
  const Vector zero{};
  const Vector one = zero + T(1);
  const Vector enough = zero + T(k_);
  Vector low{};
  Vector high{};
  Vector n_low{};
  Vector n_high = zero + T(count_);
  for (int j = 0; j < count_; ++j) {
    const Vector row = Lanes::at(rows + j * lanes).lanes;
    high = row > high ? row : high;
  }
  for (int step = 0; step < n_steps; ++step) {
    const Vector wanted = n_high > enough ? enough + one : enough;
    const Vector middle = low + (high - low) * ((wanted - n_low) / (n_high - n_low));
    Vector n{};
    for (int j = 0; j < count_; ++j) {
      n += Lanes::at(rows + j * lanes).lanes <= middle ? one : zero;
    }
    const auto is_enough = n >= enough;
    high = is_enough ? middle : high;
    n_high = is_enough ? n : n_high;
    low = is_enough ? low : middle;
    n_low = is_enough ? n_low : n;
  }
  Lanes::at(radius_.data() + begin).lanes = high;
}

/// Adds the leaf's own points to the lists of a vector of its points, from `begin` on.
template <class T>
template <int bytes>
inline void KnnLists<T>::add_own(int begin, vertex_t first, const T* rows) noexcept {
  using Lanes = LeafVectors<T, bytes>;
  constexpr int lanes = Lanes::lanes;
  constexpr int word_bits = 8 * static_cast<int>(sizeof(Count));
  const int end = std::min(begin + lanes, count_);
  std::array<std::uint64_t, lanes> near{};
  const typename Lanes::Vector radius = Lanes::at(radius_.data() + begin).lanes;
  for (int from = 0; from < count_; from += word_bits) {
    const int to = std::min(count_, from + word_bits);
    typename Lanes::Words bits{};
    typename Lanes::Words bit{};
    bit += 1;
    for (int j = from; j < to; ++j) {
      bits |= (Lanes::at(rows + j * lanes).lanes <= radius) & bit;
      bit <<= 1;
    }
    for (int lane = 0; lane < lanes; ++lane) {
      using Unsigned = std::make_unsigned_t<Count>;
      near[static_cast<std::size_t>(lane)] |= std::uint64_t{static_cast<Unsigned>(bits[lane])}
                                              << from;
    }
  }
  for (int i = begin; i < end; ++i) {
    add(i, first, rows + (i - begin), lanes, near[static_cast<std::size_t>(i - begin)]);
  }
}

/// Considers the points of `other` for the list of the leaf's i-th point.
template <class T, int D, class Tree>
template <int bytes>
inline void KnnSearch<T, D, Tree>::scan_from(int i, const KdNode& other) noexcept {
  const T* point = points_.data() + i * tree_.dimension();
  const std::uint64_t near = keys_of_leaf<bytes>(
      tree_, point, other, radius_[static_cast<std::size_t>(i)], distances_.data());
  if (near != 0) this->add(i, other.first, distances_.data(), 1, near);
}

template <class T, int D, class Tree>
template <int bytes>
inline void KnnSearch<T, D, Tree>::scan_leaf(std::int32_t number) noexcept {
  const KdNode& other = tree_.nodes()[static_cast<std::size_t>(number)];
  std::uint64_t near =
      tree_.template near_box<bytes>(block_, count_, count_, number, T(1), radius_.data());
  if (near == 0) return;
  for (; near != 0; near &= near - 1) scan_from<bytes>(std::countr_zero(near), other);
  find_max_radius<bytes>();
}

template <class T, int D, class Tree>
template <int bytes>
inline void KnnSearch<T, D, Tree>::find_max_radius() noexcept {
  using Lanes = LeafVectors<T, bytes>;
  typename Lanes::Vector most = Lanes::at(radius_.data()).lanes;
  for (int i = Lanes::lanes; i < max_leaf_points; i += Lanes::lanes) {
    const typename Lanes::Vector next = Lanes::at(radius_.data() + i).lanes;
    most = next > most ? next : most;
  }
  max_radius_ = Lanes::largest(most);
}

/// Considers the leaf's own points for its lists, a vector of lists at a time.
template <class T, int D, class Tree>
template <int bytes>
inline void KnnSearch<T, D, Tree>::scan_own_leaf(std::int32_t number) noexcept {
  using Lanes = LeafVectors<T, bytes>;
  const vertex_t first = tree_.nodes()[static_cast<std::size_t>(number)].first;
  const typename Lanes::Passed all = std::numeric_limits<T>::infinity() - typename Lanes::Passed{};
  for (int begin = 0; begin < count_; begin += Lanes::lanes) {
    for (int j = 0; j < count_; ++j) {
      typename Lanes::Passed keys;
      tree_.template keys_of_lanes<bytes>(block_ + begin, count_, block_ + j, count_, all, keys);
      Lanes::at(own_distances_.data() + j * Lanes::lanes).lanes = keys;
    }
    this->template bound_radii<bytes>(begin, own_distances_.data());
    this->template add_own<bytes>(begin, first, own_distances_.data());
  }
  std::fill(radius_.begin() + count_, radius_.end(), T(-1));
  find_max_radius<bytes>();
}

template <class T, int D, class Tree>
void KnnSearch<T, D, Tree>::run(std::int32_t number) {
  start(tree_.nodes()[static_cast<std::size_t>(number)]);
  with_kd_tree_vectors<D>([ this, number ]<int bytes>()
                              __attribute__((always_inline)) { scan_own_leaf<bytes>(number); });
  search_.run(
      number, [&](std::int32_t node) { return tree_.bound(number, node); },
      [&] { return max_radius_; }, [](std::int32_t) { return false; },
      [&](std::int32_t other) {
        with_kd_tree_vectors<D>([ this, other ]<int bytes>()
                                    __attribute__((always_inline)) { scan_leaf<bytes>(other); });
      });
  this->finish();
}

}  // namespace warpgraph
