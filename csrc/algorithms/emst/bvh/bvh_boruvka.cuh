// The driver of Boruvka's algorithm over a BVH.
//
// Points are put into Hilbert order (HilbertOrder), get a hierarchy of boxes (Bvh) and lists of
// their k nearest neighbours (DeviceKnnLists). Then come the rounds, whose kernels are in
// bvh_boruvka_kernels.cuh. A round reads back two numbers: the active queries and the edges so far.
#pragma once

#include "algorithms/emst/bvh/bvh_boruvka_kernels.cuh"
#include "algorithms/emst/bvh/owned_bvh.cuh"
#include "algorithms/emst/edge_sorter.cuh"
#include "core/interrupt.hpp"

#include <algorithm>
#include <bit>

namespace warpgraph::emst {

template <class T, int D>
class BvhBoruvka {
 public:
  /// For the `n` points of `bvh` with the ids `ids`. Appends the tree's edges to `edges`.
  BvhBoruvka(const Bvh<T, D>& bvh, const vertex_t* ids, cuda::Worklist<Edge<T>>& edges,
             const cuda::Stream& stream);

  static std::size_t bytes(std::size_t n) {
    return n * (length * (sizeof(T) + sizeof(vertex_t)) + 4 * sizeof(vertex_t) + 1 + 2 * sizeof(T) +
                sizeof(unsigned long long) + sizeof(Candidate)) +
           n / 16 * sizeof(vertex_t);
  }

  /// Runs rounds until `edges` has that many edges, those of duplicates included.
  void run(std::int64_t n_edges_of_tree) {
    const std::int64_t n = bvh_.n_points;
    if (n == 1) return;
    const std::int64_t n_duplicates = n_edges_of_tree + 1 - n;
    const std::int64_t list_blocks = (n + list_kernel_threads - 1) / list_kernel_threads;
    find_knn_lists();
    cuda::launch_for(stream_, n, init_state<T>, state_);
    for (;;) {
      cuda::launch_for(stream_, n, advance_nearest<T, D, length>, state_, bvh_);
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
  /// Length of a list.
  static constexpr int length = knn_length<D>;
  /// The mean number of leaves over which the queries of a warp spread. Queries far apart are
  /// searched faster one per warp. Measured: 2 is as bad in three dimensions as 32 is in five.
  static constexpr std::int64_t leaves_per_warp = 8;
  /// Warps of a launch: some hundredths of a second in many dimensions; in few dimensions enough
  /// that the idle time at the end of each launch does not matter.
  static constexpr std::int64_t warps_per_launch = D <= 4 ? 1 << 18 : 1 << 16;
  /// Threads that process the candidates: enough for any device.
  static constexpr std::int64_t max_merge_threads = 1 << 18;

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(bvh_.n_points); }
  void find_knn_lists() {
    const std::int64_t n = bvh_.n_points;
    launch_in_slices(bvh_.n_leaves(), [&](std::int64_t first, std::int64_t n_warps) {
      report_progress(first * branching_factor, 2 * n);
      cuda::launch_for(stream_, n_warps * branching_factor, find_knn<T, D, length>, bvh_,
                       state_.ids, state_.lists, first);
    });
  }
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
    launch_in_slices((n_queries + per_warp - 1) / per_warp,
                     [&](std::int64_t first, std::int64_t n_warps) {
                       cuda::launch_for(stream_, n_warps * branching_factor, search_foreign<T, D>,
                                        state_, bvh_, labels_, first * per_warp, per_warp);
                     });
  }
  /// Calls launch(first, count) for slices of n warps, short enough that Ctrl-C is handled between
  /// them.
  template <class Launch>
  void launch_in_slices(std::int64_t n, Launch&& launch) {
    for (std::int64_t first = 0; first < n; first += warps_per_launch) {
      if (first != 0) stream_.synchronize();
      poll();
      launch(first, std::min(warps_per_launch, n - first));
    }
  }
  /// A warp should hold queries that are near each other.
  [[nodiscard]] int queries_per_warp(std::int64_t n_queries) const {
    const std::int64_t in_leaves = leaves_per_warp * branching_factor * n_queries / bvh_.n_points;
    const std::int64_t max_per_warp = std::clamp<std::int64_t>(in_leaves, 1, branching_factor);
    return static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(max_per_warp)));
  }

  Bvh<T, D> bvh_;
  const cuda::Stream& stream_;
  cuda::Worklist<Edge<T>>& edges_;
  cuda::DeviceBuffer<T> list_keys_;
  cuda::DeviceBuffer<vertex_t> list_neighbours_;
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

template <class T, int D>
BvhBoruvka<T, D>::BvhBoruvka(const Bvh<T, D>& bvh, const vertex_t* ids,
                             cuda::Worklist<Edge<T>>& edges, const cuda::Stream& stream)
    : bvh_(bvh),
      stream_(stream),
      edges_(edges),
      list_keys_(length * size(), stream),
      list_neighbours_(length * size(), stream),
      component_(size(), stream),
      parent_(size(), stream),
      cursor_(size(), stream),
      nearest_(size(), stream),
      nearest_key_(size(), stream),
      best_key_(size(), stream),
      best_pair_(size(), stream),
      label_(static_cast<std::size_t>(bvh.n_leaves()) * 2 + max_levels, stream),
      queries_(bvh.n_points, stream),
      candidates_(bvh.n_points, stream),
      state_{bvh.n_points,
             ids,
             {list_keys_.data(), list_neighbours_.data(), bvh.n_points},
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

template <class T>
void emst_by_bvh(const DevicePoints<T>& points, const TreeView& tree, const cuda::Stream& stream) {
  const vertex_t n_edges = points.n - 1;
  cuda::Worklist<Edge<T>> edges(points.n, stream);
  {
    HilbertOrder<T> order(points, stream);
    order.drop_duplicates(edges);
    with_dimension(points.dimension, [&](auto d) {
      const OwnedBvh<T, d> bvh(points, order.ids(), order.n_kept(), stream);
      BvhBoruvka<T, d>(bvh.view(), order.ids(), edges, stream).run(n_edges);
    });
  }
  write_sorted(edges.data(), n_edges, tree, stream);
  report_progress(2 * std::int64_t{points.n}, 2 * std::int64_t{points.n});
}

template <class T>
std::size_t bvh_bytes(std::size_t n, std::size_t dimension) {
  const std::size_t rounds = with_dimension(static_cast<std::int64_t>(dimension), [&](auto d) {
    return OwnedBvh<T, d>::bytes(n) + BvhBoruvka<T, d>::bytes(n) + HilbertOrder<T>::kept_bytes(n);
  });
  return n * sizeof(Edge<T>) + std::max({HilbertOrder<T>::bytes(n), rounds, edge_sort_bytes<T>(n)});
}

}  // namespace warpgraph::emst
