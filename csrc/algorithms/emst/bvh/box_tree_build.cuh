// Builds a BoxTree over points in the order of a curve, and owns it.
#pragma once

#include "algorithms/emst/bvh/box_tree.cuh"
#include "algorithms/emst/bvh/curve_order.cuh"

#include <cstddef>
#include <limits>

namespace warpgraph::emst {
namespace detail {

// At namespace scope, since device code may read it but not call std::numeric_limits.
template <class T>
inline constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

template <class T, int D>
__device__ void store_box(const BoxTree<T, D>& tree, int level, vertex_t node, const T (&low)[D],
                          const T (&high)[D], vertex_t least_id) {
  tree.least_id[level][node] = least_id;
  T* box = tree.box(level, node);
#pragma unroll
  for (int k = 0; k < D; ++k) {
    box[k * fan] = low[k];
    box[(D + k) * fan] = high[k];
  }
}

/// By a warp a leaf: copies its points, and boxes them. Axes beyond the points' dimension are 0.
template <class T, int D>
__global__ void load_leaves(DeviceRows<T> points, const vertex_t* ids, BoxTree<T, D> tree) {
  const std::int64_t position = cuda::global_index();
  const auto leaf = static_cast<vertex_t>(position / fan);
  if (leaf >= tree.n_leaves()) return;  // the whole warp
  const bool exists = position < tree.n_points;
  const vertex_t id = exists ? ids[position] : 0;
  T* to = tree.coordinates + static_cast<std::int64_t>(leaf) * (D * fan) + cuda::lane();
  T low[D];
  T high[D];
#pragma unroll
  for (int k = 0; k < D; ++k) {
    const T x = k < points.dimension ? points.at(id, k) : T(0);
    to[k * fan] = exists ? x : not_a_number<T>;
    low[k] = cuda::warp_min(exists ? x : infinity<T>());
    high[k] = warp_max(exists ? x : -infinity<T>());
  }
  const vertex_t least_id = cuda::warp_min(exists ? id : points.n);
  if (cuda::lane() == 0) store_box(tree, 0, leaf, low, high, least_id);
}

/// By a warp a node of `level`: boxes its children.
template <class T, int D>
__global__ void box_nodes(BoxTree<T, D> tree, int level) {
  const std::int64_t child = cuda::global_index();
  const auto node = static_cast<vertex_t>(child / fan);
  if (node >= tree.n_nodes[level]) return;  // the whole warp
  const bool exists = child < tree.n_nodes[level - 1];
  const auto which = static_cast<vertex_t>(exists ? child : node * fan);
  const T* box = tree.box(level - 1, which);
  T low[D];
  T high[D];
#pragma unroll
  for (int k = 0; k < D; ++k) {
    low[k] = cuda::warp_min(box[k * fan]);
    high[k] = warp_max(box[(D + k) * fan]);
  }
  const vertex_t least_id = cuda::warp_min(tree.least_id[level - 1][which]);
  if (cuda::lane() == 0) store_box(tree, level, node, low, high, least_id);
}

}  // namespace detail

template <class T, int D>
class OwnedBoxTree {
 public:
  /// The tree of the `n` points whose rows `ids` names, in that order.
  OwnedBoxTree(const DeviceRows<T>& points, const vertex_t* ids, vertex_t n,
               const cuda::Stream& stream)
      : memory_(shape(n, nullptr), stream), least_ids_(n_nodes(), stream) {
    shape(n, memory_.data());
    vertex_t* least_id = least_ids_.data();
    for (int level = 0; level < view_.n_levels; ++level) {
      view_.least_id[level] = least_id;
      least_id += view_.n_nodes[level];
    }
    cuda::launch_for(stream, std::int64_t{view_.n_leaves()} * fan, detail::load_leaves<T, D>,
                     points, ids, view_);
    for (int level = 1; level < view_.n_levels; ++level) {
      cuda::launch_for(stream, std::int64_t{view_.n_nodes[level]} * fan, detail::box_nodes<T, D>,
                       view_, level);
    }
  }

  static std::size_t bytes(std::size_t n) {
    // Nodes are less than 1 / 31 of the points, and each level's are rounded up to a group.
    const std::size_t nodes = n / (fan - 1) + most_levels * fan;
    return sizeof(T) * D * (n + fan + 2 * nodes) + sizeof(vertex_t) * nodes;
  }

  [[nodiscard]] const BoxTree<T, D>& view() const noexcept { return view_; }

 private:
  /// Lays the tree of n points out in `memory`; returns the items that it takes.
  std::size_t shape(vertex_t n, T* memory) {
    std::size_t used = 0;
    const auto take = [&](std::size_t items) {
      T* const taken = memory == nullptr ? nullptr : memory + used;
      used += items;
      return taken;
    };
    view_.n_points = n;
    view_.n_levels = 0;
    view_.coordinates = take(groups_of(n) * D * fan);
    for (vertex_t count = n; view_.n_levels == 0 || count > fan; ++view_.n_levels) {
      count = (count - 1) / fan + 1;
      view_.n_nodes[view_.n_levels] = count;
      view_.boxes[view_.n_levels] = take(groups_of(count) * 2 * D * fan);
    }
    return used;
  }
  [[nodiscard]] std::size_t n_nodes() const {
    std::size_t sum = 0;
    for (int level = 0; level < view_.n_levels; ++level) {
      sum += static_cast<std::size_t>(view_.n_nodes[level]);
    }
    return sum;
  }
  static std::size_t groups_of(vertex_t count) {
    return (static_cast<std::size_t>(count) + fan - 1) / fan;
  }

  BoxTree<T, D> view_{};
  cuda::DeviceBuffer<T> memory_;
  cuda::DeviceBuffer<vertex_t> least_ids_;
};

}  // namespace warpgraph::emst
