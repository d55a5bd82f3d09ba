// Builds a BVH over points in Hilbert order, and owns its memory.
#pragma once

#include "primitives/bvh/bvh.cuh"
#include "primitives/bvh/hilbert_order.cuh"

#include <cstddef>
#include <limits>

namespace warpgraph::bvh {
namespace detail {

// At namespace scope, since device code may read it but not call std::numeric_limits.
template <class T>
inline constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

/// Writes an axis of the box of a node.
template <class T>
__device__ void store_axis(T* box, int axis, int dimension, T low, T high) {
  box[axis * branching_factor] = low;
  box[(dimension + axis) * branching_factor] = high;
}

/// Copies a leaf's points and computes their box, with a warp per leaf. Axes beyond the points'
/// dimension are 0.
template <class T>
__global__ void load_leaves(DevicePoints<T> points, const vertex_t* ids, BvhNodes<T> bvh,
                            int dimension) {
  const std::int64_t position = cuda::global_index();
  const auto leaf = static_cast<vertex_t>(position / branching_factor);
  if (leaf >= bvh.n_leaves()) return;  // the whole warp
  const bool exists = position < bvh.n_points;
  const vertex_t id = exists ? ids[position] : 0;
  T* const to = bvh.leaf(leaf, dimension) + cuda::lane();
  T* const box = bvh.box(0, leaf, dimension);
  for (int k = 0; k < dimension; ++k) {
    const T x = k < points.dimension ? points.at(id, k) : T(0);
    to[k * branching_factor] = exists ? x : not_a_number<T>;
    const T low = cuda::warp_min(exists ? x : infinity<T>());
    const T high = cuda::warp_max(exists ? x : -infinity<T>());
    if (cuda::lane() == 0) store_axis(box, k, dimension, low, high);
  }
  const vertex_t least_id = cuda::warp_min(exists ? id : points.n);
  if (cuda::lane() == 0) bvh.least_id[0][leaf] = least_id;
}

/// Computes the box of the children of each node of `level`, with a warp per node.
template <class T>
__global__ void compute_node_boxes(BvhNodes<T> bvh, int dimension, int level) {
  const std::int64_t child = cuda::global_index();
  const auto node = static_cast<vertex_t>(child / branching_factor);
  if (node >= bvh.n_nodes[level]) return;  // the whole warp
  const bool exists = child < bvh.n_nodes[level - 1];
  const auto source = static_cast<vertex_t>(exists ? child : node * branching_factor);
  const T* const of_child = bvh.box(level - 1, source, dimension);
  T* const box = bvh.box(level, node, dimension);
  for (int k = 0; k < dimension; ++k) {
    const T low = cuda::warp_min(of_child[k * branching_factor]);
    const T high = cuda::warp_max(of_child[(dimension + k) * branching_factor]);
    if (cuda::lane() == 0) store_axis(box, k, dimension, low, high);
  }
  const vertex_t least_id = cuda::warp_min(bvh.least_id[level - 1][source]);
  if (cuda::lane() == 0) bvh.least_id[level][node] = least_id;
}

}  // namespace detail

/// The memory of a BVH of n points.
template <class T>
class BvhMemory {
 public:
  BvhMemory(vertex_t n, std::size_t dimension, const cuda::Stream& stream)
      : memory_(lay_out(n, dimension, nullptr), stream), least_ids_(n_nodes(), stream) {
    lay_out(n, dimension, memory_.data());
    vertex_t* least_id = least_ids_.data();
    for (int level = 0; level < nodes_.n_levels; ++level) {
      nodes_.least_id[level] = least_id;
      least_id += nodes_.n_nodes[level];
    }
  }

  [[nodiscard]] const BvhNodes<T>& nodes() const noexcept { return nodes_; }

 private:
  /// Lays out the BVH in `memory`. Returns the number of items that it takes.
  std::size_t lay_out(vertex_t n, std::size_t dimension, T* memory) {
    std::size_t used = 0;
    const auto take = [&](std::size_t items) {
      T* const taken = memory == nullptr ? nullptr : memory + used;
      used += items;
      return taken;
    };
    nodes_.n_points = n;
    nodes_.n_levels = 0;
    nodes_.coordinates = take(groups_of(n) * dimension * branching_factor);
    for (vertex_t count = n; nodes_.n_levels == 0 || count > branching_factor; ++nodes_.n_levels) {
      count = (count - 1) / branching_factor + 1;
      nodes_.n_nodes[nodes_.n_levels] = count;
      nodes_.boxes[nodes_.n_levels] = take(groups_of(count) * 2 * dimension * branching_factor);
    }
    return used;
  }
  [[nodiscard]] std::size_t n_nodes() const {
    std::size_t sum = 0;
    for (int level = 0; level < nodes_.n_levels; ++level) {
      sum += static_cast<std::size_t>(nodes_.n_nodes[level]);
    }
    return sum;
  }
  static std::size_t groups_of(vertex_t count) {
    return (static_cast<std::size_t>(count) + branching_factor - 1) / branching_factor;
  }

  BvhNodes<T> nodes_{};
  cuda::DeviceBuffer<T> memory_;
  cuda::DeviceBuffer<vertex_t> least_ids_;
};

template <class T, int D>
class OwnedBvh {
 public:
  /// Builds the BVH of the `n` points with the ids `ids`, in that order.
  OwnedBvh(const DevicePoints<T>& points, const vertex_t* ids, vertex_t n,
           const cuda::Stream& stream)
      : memory_(n, D, stream), view_{memory_.nodes()} {
    cuda::launch_for(stream, std::int64_t{view_.n_leaves()} * branching_factor,
                     detail::load_leaves<T>, points, ids, memory_.nodes(), D);
    for (int level = 1; level < view_.n_levels; ++level) {
      cuda::launch_for(stream, std::int64_t{view_.n_nodes[level]} * branching_factor,
                       detail::compute_node_boxes<T>, memory_.nodes(), D, level);
    }
  }

  static std::size_t bytes(std::size_t n) {
    // There are fewer than n / 31 nodes; each level is rounded up to a group of siblings.
    const std::size_t nodes = n / (branching_factor - 1) + max_levels * branching_factor;
    return sizeof(T) * D * (n + branching_factor + 2 * nodes) + sizeof(vertex_t) * nodes;
  }

  [[nodiscard]] const Bvh<T, D>& view() const noexcept { return view_; }

 private:
  const BvhMemory<T> memory_;
  const Bvh<T, D> view_;
};

}  // namespace warpgraph::bvh
