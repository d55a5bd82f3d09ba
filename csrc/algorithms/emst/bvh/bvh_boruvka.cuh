// The driver of Boruvka's algorithm over a BVH.
//
// Points are put into Hilbert order (HilbertOrder), get a hierarchy of boxes (Bvh) and lists of
// their nearest neighbours (find_lists). In each round, a point needs its nearest neighbour outside
// its component. Components only grow, so the answer moves forward in the point's list, and seldom
// beyond its end. Beyond the end, the list leaves a lower bound, which spares most points a search.
//
// The kernels of the rounds are in bvh_boruvka_kernels.cuh. A round reads back two numbers: the
// active queries and the edges so far.
#pragma once

#include "algorithms/emst/bvh/bvh_boruvka_kernels.cuh"
#include "algorithms/emst/edge_sorter.cuh"
#include "core/interrupt.hpp"
#include "primitives/bvh/knn_lists.cuh"
#include "primitives/bvh/owned_bvh.cuh"

#include <algorithm>
#include <bit>

namespace warpgraph::emst {

template <class T, int D, class Keys>
class BvhBoruvka {
 public:
  /// Prepares the rounds for the points of `bvh` with the ids `ids`, with lists of `length`
  /// neighbours in the order of their pairs. They append the tree's edges to `edges`.
  BvhBoruvka(const Bvh<T, D>& bvh, const vertex_t* ids, const knn::DeviceLists<T>& lists,
             int length, const Keys& keys, cuda::Worklist<Edge<T>>& edges,
             const cuda::Stream& stream);

  static std::size_t bytes(std::size_t n) {
    return n * (4 * sizeof(vertex_t) + 1 + 2 * sizeof(T) + sizeof(unsigned long long) +
                sizeof(Candidate)) +
           n / 16 * sizeof(vertex_t);
  }

  /// Runs rounds until `edges` has that many edges, those of duplicates included.
  void run(std::int64_t n_edges_of_tree) {
    const std::int64_t n = bvh_.n_points;
    if (n == 1) return;
    const std::int64_t n_duplicates = n_edges_of_tree + 1 - n;
    const std::int64_t list_blocks = (n + list_kernel_threads - 1) / list_kernel_threads;
    cuda::launch_for(stream_, n, init_state<T, Keys>, state_, keys_);
    for (;;) {
      cuda::launch_for(stream_, n, advance_nearest<T, Keys>, state_, bvh_, D, keys_);
      queries_.reset(stream_);
      cuda::launch(stream_, list_blocks, list_kernel_threads, 0, list_active_queries<T>, state_);
      run_search(queries_.size(stream_));
      candidates_.reset(stream_);
      cuda::launch(stream_, list_blocks, list_kernel_threads, 0, choose_candidates<T>, state_);
      cuda::launch_for(stream_, std::min(n, max_merge_threads), merge_components<T>, state_);
      cuda::launch_for(stream_, std::min(n, max_merge_threads), reset_best<T>, state_);
      const std::int64_t n_edges = edges_.size(stream_);
      report_progress(n + n_edges - n_duplicates, 2 * n);
      if (n_edges == n_edges_of_tree) return;
      poll();
    }
  }

 private:
  /// The mean number of leaves over which the queries of a warp spread. Queries far apart are
  /// searched faster one per warp. Measured: 2 is as bad in three dimensions as 32 is in five.
  static constexpr std::int64_t leaves_per_warp = 8;
  /// The most threads that process the candidates: enough for any device.
  static constexpr std::int64_t max_merge_threads = 1 << 18;

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(bvh_.n_points); }
  void label_nodes() {
    const vertex_t* items = component_.data();
    vertex_t n_items = bvh_.n_points;
    for (int level = 0; level < bvh_.n_levels; ++level) {
      cuda::launch_for(stream_, n_items, label_groups, items, n_items, labels_.of_level[level]);
      items = labels_.of_level[level];
      n_items = bvh_.n_nodes[level];
    }
  }
  void run_search(std::int64_t n_queries) {
    if (n_queries == 0) return;
    label_nodes();
    const int per_warp = queries_per_warp(n_queries);
    bvh::launch_in_slices<D>((n_queries + per_warp - 1) / per_warp, stream_,
                             [&](std::int64_t first, std::int64_t n_warps) {
                               cuda::launch_for(stream_, n_warps * cuda::warp_lanes,
                                                search_foreign<T, D, Keys>, state_, bvh_, labels_,
                                                keys_, first * per_warp, per_warp);
                             });
  }
  /// Returns the queries per warp, which should be near each other.
  [[nodiscard]] int queries_per_warp(std::int64_t n_queries) const {
    const std::int64_t in_leaves =
        leaves_per_warp * bvh::branching_factor * n_queries / bvh_.n_points;
    const std::int64_t max_per_warp = std::clamp<std::int64_t>(in_leaves, 1, cuda::warp_lanes);
    return static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(max_per_warp)));
  }

  Bvh<T, D> bvh_;
  Keys keys_;
  const cuda::Stream& stream_;
  cuda::Worklist<Edge<T>>& edges_;
  cuda::DeviceBuffer<vertex_t> component_;
  cuda::DeviceBuffer<vertex_t> parent_;
  cuda::DeviceBuffer<std::uint8_t> cursor_;
  cuda::DeviceBuffer<vertex_t> nearest_;
  cuda::DeviceBuffer<T> nearest_key_;
  cuda::DeviceBuffer<T> best_key_;
  cuda::DeviceBuffer<unsigned long long> best_pair_;
  cuda::DeviceBuffer<vertex_t> label_;
  cuda::Worklist<vertex_t> queries_;
  cuda::Worklist<Candidate> candidates_;
  BvhBoruvkaState<T> state_;
  NodeLabels labels_{};
};

template <class T, int D, class Keys>
BvhBoruvka<T, D, Keys>::BvhBoruvka(const Bvh<T, D>& bvh, const vertex_t* ids,
                                   const knn::DeviceLists<T>& lists, int length, const Keys& keys,
                                   cuda::Worklist<Edge<T>>& edges, const cuda::Stream& stream)
    : bvh_(bvh),
      keys_(keys),
      stream_(stream),
      edges_(edges),
      component_(size(), stream),
      parent_(size(), stream),
      cursor_(size(), stream),
      nearest_(size(), stream),
      nearest_key_(size(), stream),
      best_key_(size(), stream),
      best_pair_(size(), stream),
      label_(static_cast<std::size_t>(bvh.n_leaves()) * 2 + bvh::max_levels, stream),
      queries_(bvh.n_points, stream),
      candidates_(bvh.n_points, stream),
      state_{bvh.n_points,
             ids,
             lists,
             length,
             component_.data(),
             cursor_.data(),
             nearest_.data(),
             nearest_key_.data(),
             parent_.data(),
             best_key_.data(),
             best_pair_.data(),
             queries_.view(),
             candidates_.view(),
             edges.view()} {
  vertex_t* label = label_.data();
  for (int level = 0; level < bvh.n_levels; ++level) {
    labels_.of_level[level] = label;
    label += bvh.n_nodes[level];
  }
}

/// Finds the lists of all points by bvh::find_knn, and reports the first half of the progress.
template <class T, int D>
void find_lists(void (*find_knn)(Bvh<T, D>, const vertex_t*, knn::DeviceLists<T>, std::int64_t),
                const Bvh<T, D>& bvh, const vertex_t* ids, const knn::DeviceLists<T>& lists,
                const cuda::Stream& stream) {
  bvh::launch_in_slices<D>(bvh.n_leaves(), stream, [&](std::int64_t first, std::int64_t n_warps) {
    report_progress(first * bvh::branching_factor, 2 * std::int64_t{bvh.n_points});
    cuda::launch_for(stream, n_warps * bvh::branching_factor, find_knn, bvh, ids, lists, first);
  });
}

/// A function that makes the edge of identical points.
template <class T>
struct IdenticalPair {
  __device__ Edge<T> operator()(vertex_t first, vertex_t duplicate) const {
    return {identical_key<T>, first, duplicate};
  }
};

/// Sorts and writes the tree of n points.
template <class T>
void write_tree(const cuda::Worklist<Edge<T>>& edges, vertex_t n, const TreeView& tree,
                const cuda::Stream& stream) {
  write_sorted(edges.data(), n - 1, tree, stream);
  report_progress(2 * std::int64_t{n}, 2 * std::int64_t{n});
}

}  // namespace warpgraph::emst
