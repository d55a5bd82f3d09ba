// Boruvka's algorithm over a BoxTree: the driver.
//
// Points are put in the order of a curve (CurveOrder), boxed (BoxTree), and given lists of their
// few nearest points (NearLists). Then the rounds of TreeRounds: each takes one answer from the
// device, how many points must search and how many edges there are.
#pragma once

#include "algorithms/emst/bvh/box_tree_build.cuh"
#include "algorithms/emst/bvh/tree_rounds.cuh"
#include "algorithms/emst/edge_sort.cuh"
#include "core/interrupt.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace warpgraph::emst {

template <class T, int D>
class TreeBoruvka {
 public:
  /// Spans the `n` points of `tree`, whose ids are `ids`; adds the edges to `edges`.
  TreeBoruvka(const BoxTree<T, D>& tree, const vertex_t* ids, cuda::Worklist<Edge<T>>& edges,
              const cuda::Stream& stream);

  static std::size_t bytes(std::size_t n) {
    return n * (length * (sizeof(T) + sizeof(vertex_t)) + 4 * sizeof(vertex_t) + 1 + 2 * sizeof(T) +
                sizeof(unsigned long long) + sizeof(Offer)) +
           n / 16 * sizeof(vertex_t);
  }

  /// Until there are so many edges, twins' included.
  void run(std::int64_t n_edges_of_tree);

 private:
  /// Points of a list.
  static constexpr int length = near_points<D>;
  /// Leaves that the lookers of a warp spread over in the mean. Lookers far apart walk faster one a
  /// warp; measured: 2 is as bad for three dimensions as 32 is for five.
  static constexpr std::int64_t leaves_together = 8;
  /// Walks of a launch: some hundredths of a second in many dimensions, and in few dimensions so
  /// many that a device half empty at the end of each does not count.
  static constexpr std::int64_t warps_per_slice = D <= 4 ? 1 << 18 : 1 << 16;
  /// Threads that share the offers among them: enough for any device.
  static constexpr std::int64_t most_joining = 1 << 18;

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(tree_.n_points); }
  void find_lists();
  void label_nodes();
  void search_for(std::int64_t n_lookers);
  /// launch(first, count) for slices of n warps, short enough to hear Ctrl-C between.
  template <class Launch>
  void in_slices(std::int64_t n, Launch&& launch) {
    for (std::int64_t first = 0; first < n; first += warps_per_slice) {
      if (first != 0) stream_.synchronize();
      poll();
      launch(first, std::min(warps_per_slice, n - first));
    }
  }
  [[nodiscard]] int lookers_a_warp(std::int64_t n_lookers) const;

  BoxTree<T, D> tree_;
  const cuda::Stream& stream_;
  cuda::Worklist<Edge<T>>& edges_;
  cuda::DeviceBuffer<T> list_keys_;
  cuda::DeviceBuffer<vertex_t> list_points_;
  cuda::DeviceBuffer<vertex_t> component_;
  cuda::DeviceBuffer<vertex_t> parent_;
  cuda::DeviceBuffer<std::uint8_t> cursor_;
  cuda::DeviceBuffer<vertex_t> frontier_;
  cuda::DeviceBuffer<T> frontier_key_;
  cuda::DeviceBuffer<T> best_key_;
  cuda::DeviceBuffer<unsigned long long> best_pair_;
  cuda::DeviceBuffer<vertex_t> label_;
  cuda::Worklist<vertex_t> lookers_;
  cuda::Worklist<Offer> offers_;
  TreeRounds<T> rounds_;
  NodeLabels labels_{};
};

template <class T, int D>
TreeBoruvka<T, D>::TreeBoruvka(const BoxTree<T, D>& tree, const vertex_t* ids,
                               cuda::Worklist<Edge<T>>& edges, const cuda::Stream& stream)
    : tree_(tree),
      stream_(stream),
      edges_(edges),
      list_keys_(length * size(), stream),
      list_points_(length * size(), stream),
      component_(size(), stream),
      parent_(size(), stream),
      cursor_(size(), stream),
      frontier_(size(), stream),
      frontier_key_(size(), stream),
      best_key_(size(), stream),
      best_pair_(size(), stream),
      label_(static_cast<std::size_t>(tree.n_leaves()) * 2 + most_levels, stream),
      lookers_(tree.n_points, stream),
      offers_(tree.n_points, stream),
      rounds_{tree.n_points,
              ids,
              {list_keys_.data(), list_points_.data(), tree.n_points},
              component_.data(),
              cursor_.data(),
              frontier_.data(),
              frontier_key_.data(),
              parent_.data(),
              best_key_.data(),
              best_pair_.data(),
              lookers_.view(),
              offers_.view(),
              edges.view()} {
  vertex_t* label = label_.data();
  for (int level = 0; level < tree.n_levels; ++level) {
    labels_.of_level[level] = label;
    label += tree.n_nodes[level];
  }
}

template <class T, int D>
void TreeBoruvka<T, D>::find_lists() {
  const std::int64_t n = tree_.n_points;
  in_slices(tree_.n_leaves(), [&](std::int64_t first, std::int64_t n_warps) {
    report_progress(first * fan, 2 * n);
    cuda::launch_for(stream_, n_warps * fan, find_near_points<T, D, length>, tree_, rounds_.ids,
                     rounds_.lists, first);
  });
}

template <class T, int D>
void TreeBoruvka<T, D>::label_nodes() {
  const vertex_t* items = component_.data();
  vertex_t n_items = tree_.n_points;
  for (int level = 0; level < tree_.n_levels; ++level) {
    cuda::launch_for(stream_, n_items, label_groups, items, n_items, labels_.of_level[level]);
    items = labels_.of_level[level];
    n_items = tree_.n_nodes[level];
  }
}

/// Lookers that share a warp's walk should be near each other.
template <class T, int D>
int TreeBoruvka<T, D>::lookers_a_warp(std::int64_t n_lookers) const {
  const std::int64_t in_leaves = leaves_together * fan * n_lookers / tree_.n_points;
  const std::int64_t most = std::clamp<std::int64_t>(in_leaves, 1, fan);
  return static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(most)));
}

template <class T, int D>
void TreeBoruvka<T, D>::search_for(std::int64_t n_lookers) {
  if (n_lookers == 0) return;
  label_nodes();
  const int together = lookers_a_warp(n_lookers);
  in_slices((n_lookers + together - 1) / together, [&](std::int64_t first, std::int64_t n_warps) {
    cuda::launch_for(stream_, n_warps * fan, search<T, D>, rounds_, tree_, labels_,
                     first * together, together);
  });
}

template <class T, int D>
void TreeBoruvka<T, D>::run(std::int64_t n_edges_of_tree) {
  const std::int64_t n = tree_.n_points;
  if (n == 1) return;
  const std::int64_t n_twins = n_edges_of_tree + 1 - n;
  const std::int64_t listing_blocks = (n + listing_threads - 1) / listing_threads;
  find_lists();
  cuda::launch_for(stream_, n, start_rounds<T>, rounds_);
  for (;;) {
    cuda::launch_for(stream_, n, advance<T, D, length>, rounds_, tree_);
    lookers_.reset(stream_);
    cuda::launch(stream_, listing_blocks, listing_threads, 0, list_lookers<T>, rounds_);
    search_for(lookers_.size(stream_));
    offers_.reset(stream_);
    cuda::launch(stream_, listing_blocks, listing_threads, 0, choose<T>, rounds_);
    cuda::launch_for(stream_, std::min(n, most_joining), join<T>, rounds_);
    cuda::launch_for(stream_, std::min(n, most_joining), forget<T>, rounds_);
    const std::int64_t n_edges = edges_.size(stream_);
    report_progress(n + n_edges - n_twins, 2 * n);
    if (n_edges == n_edges_of_tree) return;
    poll();
  }
}

/// Dimensions that there is no tree for are padded: axes that are 0 add nothing to a distance.
template <class F>
auto with_dimension(std::size_t dimension, F&& f) {
  if (dimension <= 2) return f(std::integral_constant<int, 2>{});
  if (dimension == 3) return f(std::integral_constant<int, 3>{});
  if (dimension == 4) return f(std::integral_constant<int, 4>{});
  if (dimension == 5) return f(std::integral_constant<int, 5>{});
  if (dimension == 6) return f(std::integral_constant<int, 6>{});
  return f(std::integral_constant<int, most_tree_dimensions>{});
}

template <class T>
void span_by_tree(const DeviceRows<T>& points, const TreeView& tree, const cuda::Stream& stream) {
  const vertex_t n_edges = points.n - 1;
  cuda::Worklist<Edge<T>> edges(points.n, stream);
  {
    CurveOrder<T> order(points, stream);
    order.drop_twins(edges);
    with_dimension(static_cast<std::size_t>(points.dimension), [&](auto d) {
      const OwnedBoxTree<T, d> boxes(points, order.ids(), order.n_kept(), stream);
      TreeBoruvka<T, d>(boxes.view(), order.ids(), edges, stream).run(n_edges);
    });
  }
  TreeWriter<T>(edges.data(), n_edges, stream).write(tree);
  report_progress(2 * std::int64_t{points.n}, 2 * std::int64_t{points.n});
}

template <class T>
std::size_t tree_bytes(std::size_t n, std::size_t dimension) {
  const std::size_t rounds = with_dimension(dimension, [&](auto d) {
    return OwnedBoxTree<T, d>::bytes(n) + TreeBoruvka<T, d>::bytes(n) +
           CurveOrder<T>::kept_bytes(n);
  });
  return n * sizeof(Edge<T>) + std::max({CurveOrder<T>::bytes(n), rounds, TreeWriter<T>::bytes(n)});
}

}  // namespace warpgraph::emst
