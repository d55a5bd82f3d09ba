// Prepares the tree of mutual-reachability distances: the cores of all points, bounds of cores for
// the nodes of the BVH, and lists of neighbours in the order of pairs.
#pragma once

#include "algorithms/emst/bvh/pair_keys.cuh"
#include "primitives/bvh/knn_lists.cuh"

namespace warpgraph::emst {
namespace detail {

/// Copies cores: core[p] = from[p]; inf for the `n_padded - n` places after.
template <class T>
__global__ void copy_cores(const T* from, vertex_t n, std::int64_t n_padded, T* core) {
  const std::int64_t p = cuda::global_index();
  if (p < n_padded) core[p] = p < n ? from[p] : infinity<T>();
}

/// Writes the keys of the last neighbours.
template <class T>
__global__ void store_last_keys(knn::Slice<T> slice, T* core) {
  const std::int64_t i = cuda::global_index();
  if (i >= slice.n_points) return;
  core[slice.lists.first_position + i] = slice.lists.key[slice.last * slice.lists.stride + i];
}

template <class T>
__global__ void scatter_by_id(const T* of_positions, const vertex_t* ids, vertex_t n, T* of_ids) {
  const std::int64_t p = cuda::global_index();
  if (p < n) of_ids[ids[p]] = of_positions[p];
}

template <class T>
__global__ void gather_by_id(const T* of_ids, const vertex_t* ids, vertex_t n, T* of_positions) {
  const std::int64_t p = cuda::global_index();
  if (p < n) of_positions[p] = of_ids[ids[p]];
}

/// Computes the least core of each group of 32 items; `n` items in total.
template <class T>
__global__ void compute_least_cores(const T* items, std::int64_t n, T* least) {
  const std::int64_t i = cuda::global_index();
  const T of_group = cuda::warp_min(i < n ? items[i] : infinity<T>());
  if (cuda::lane() == 0 && i < n) least[i / bvh::branching_factor] = of_group;
}

/// Turns lists of squared distances, by (squared distance, id), into lists of keys, by (key, id).
///
/// A point that the list lacks comes after the last entry in the first order. So no pair with such
/// a point has a smaller key than `bound`, which is what the last entry has or the point's own
/// core. Entries with a smaller key precede those pairs. Of the pairs with the key `bound`, ids
/// decide: but only if all that the list lacks with this key are as far as the last entry, so that
/// their ids are larger than its id.
template <class T, int length>
__global__ void order_by_reachability(knn::DeviceLists<T> lists, const vertex_t* ids, vertex_t n,
                                      ReachabilityKeys<T> keys, T* list_bound) {
  const std::int64_t p = cuda::global_index();
  if (p >= n) return;
  const auto own = keys.query(static_cast<vertex_t>(p));
  T key[length];
  vertex_t neighbour[length];
  vertex_t id[length];
  T squared = 0;
#pragma unroll
  for (int j = 0; j < length; ++j) {
    neighbour[j] = lists.neighbour[j * lists.stride + p];
    squared = lists.key[j * lists.stride + p];
    const bool exists = neighbour[j] != no_vertex;
    key[j] = exists ? keys.of_pair(own, squared, neighbour[j]) : infinity<T>();
    id[j] = exists ? ids[neighbour[j]] : infinity<vertex_t>();
  }
  const bool has_all = neighbour[length - 1] == no_vertex;
  const bool ids_decide = keys.factor == T(1) && squared >= own.core;
  const T bound = has_all ? infinity<T>() : max(own.core, squared * keys.factor);
  const vertex_t last_id = ids_decide ? id[length - 1] : no_vertex;
#pragma unroll
  for (int end = length - 1; end > 0; --end) {
#pragma unroll
    for (int j = 0; j < end; ++j) {
      const bool in_order = key[j] < key[j + 1] || (key[j] == key[j + 1] && id[j] <= id[j + 1]);
      const T larger_key = in_order ? key[j + 1] : key[j];
      const vertex_t larger_id = in_order ? id[j + 1] : id[j];
      const vertex_t larger_neighbour = in_order ? neighbour[j + 1] : neighbour[j];
      key[j] = in_order ? key[j] : key[j + 1];
      id[j] = in_order ? id[j] : id[j + 1];
      neighbour[j] = in_order ? neighbour[j] : neighbour[j + 1];
      key[j + 1] = larger_key;
      id[j + 1] = larger_id;
      neighbour[j + 1] = larger_neighbour;
    }
  }
#pragma unroll
  for (int j = 0; j < length; ++j) {
    const bool is_sure = has_all || key[j] < bound || (key[j] == bound && id[j] <= last_id);
    lists.key[j * lists.stride + p] = key[j];
    lists.neighbour[j * lists.stride + p] = is_sure ? neighbour[j] : toggle_unsure(neighbour[j]);
  }
  list_bound[p] = bound;
}

}  // namespace detail

/// Writes the squared distance of every point to its `n_neighbours`-th neighbour, by positions.
template <class T, int D>
void find_cores(const Bvh<T, D>& bvh, const vertex_t* ids, int n_neighbours, T* core,
                const cuda::Stream& stream) {
  if (n_neighbours == 0) {
    cuda::fill(core, T(0), bvh.n_points, stream);
    return;
  }
  for_each_knn_slice(bvh, ids, n_neighbours, false, stream, [&](const knn::Slice<T>& slice) {
    cuda::launch_for(stream, slice.n_points, detail::store_last_keys<T>, slice, core);
  });
}

/// The owner of the arrays that ReachabilityKeys refer to.
template <class T>
class OwnedReachability {
 public:
  /// `core` has the cores of the positions of `bvh`.
  OwnedReachability(const bvh::BvhNodes<T>& bvh, const T* core, T factor,
                    const cuda::Stream& stream)
      : stream_(stream),
        core_(static_cast<std::size_t>(bvh.n_leaves()) * bvh::branching_factor, stream),
        list_bound_(static_cast<std::size_t>(bvh.n_points), stream),
        least_core_(static_cast<std::size_t>(bvh.n_leaves()) * 2 + bvh::max_levels, stream) {
    const auto n_padded = static_cast<std::int64_t>(core_.size());
    cuda::launch_for(stream, n_padded, detail::copy_cores<T>, core, bvh.n_points, n_padded,
                     core_.data());
    keys_ = {factor, core_.data(), list_bound_.data(), {}};
    const T* items = core_.data();
    std::int64_t n_items = n_padded;
    T* least = least_core_.data();
    for (int level = 0; level < bvh.n_levels; ++level) {
      keys_.least_core[level] = least;
      cuda::launch_for(stream, n_items, detail::compute_least_cores<T>, items, n_items, least);
      items = least;
      n_items = bvh.n_nodes[level];
      least += n_items;
    }
  }

  static std::size_t bytes(std::size_t n) {
    return sizeof(T) * (2 * n + n / 16 + bvh::branching_factor + bvh::max_levels);
  }

  /// Changes the lists from those of find_knn to those of the algorithm.
  void order_lists(const knn::DeviceLists<T>& lists, int length, const vertex_t* ids, vertex_t n) {
    constexpr int longest = bvh::max_register_list;
    const auto kernel = length == 8 ? detail::order_by_reachability<T, 8>
                                    : detail::order_by_reachability<T, longest>;
    cuda::launch_for(stream_, n, kernel, lists, ids, n, keys_, list_bound_.data());
  }
  [[nodiscard]] const ReachabilityKeys<T>& keys() const noexcept { return keys_; }

 private:
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<T> core_;
  cuda::DeviceBuffer<T> list_bound_;
  cuda::DeviceBuffer<T> least_core_;
  ReachabilityKeys<T> keys_{};
};

}  // namespace warpgraph::emst
