// The tree of mutual-reachability distances over a BVH.
//
// The lists of neighbours that the rounds need also have the cores, unless min_samples is large or
// points are identical. Copies of a point are neighbours that count, so the cores come from a BVH
// of all points. Where the core is 0, copies are edges at once and are dropped from a second BVH.
#pragma once

#include "algorithms/emst/bvh/bvh_boruvka.cuh"
#include "algorithms/emst/bvh/reachability.cuh"

namespace warpgraph::emst {

/// Returns the length of the lists for this min_samples. With an entry more than a core needs, a
/// list has all pairs whose key is the core of its point.
inline int reachability_list_length(int min_samples) {
  return min_samples > 6 && min_samples <= bvh::max_register_list ? bvh::max_register_list : 8;
}

template <class T>
class ReachabilityTree {
 public:
  ReachabilityTree(const DevicePoints<T>& points, const ReachabilityOptions<T>& options,
                   const cuda::Stream& stream)
      : points_(points), options_(options), stream_(stream), edges_(points.n, stream) {}

  static std::size_t bytes(std::size_t n, std::size_t dimension, int min_samples) {
    const std::size_t rounds = with_dimension(static_cast<std::int64_t>(dimension), [&](auto d) {
      const auto length = static_cast<std::size_t>(reachability_list_length(min_samples));
      const std::size_t of_boruvka = knn::OwnedLists<T>::bytes(n, length) +
                                     OwnedReachability<T>::bytes(n) +
                                     BvhBoruvka<T, d, ReachabilityKeys<T>>::bytes(n);
      const std::size_t of_cores =
          n * sizeof(T) + bvh::knn_slice_bytes<T>(n, std::max(min_samples - 1, 1));
      return bvh::OwnedBvh<T, d>::bytes(n) + n * sizeof(T) + std::max(of_boruvka, of_cores);
    });
    return n * sizeof(Edge<T>) +
           std::max(bvh::HilbertOrder<T>::bytes(n),
                    bvh::HilbertOrder<T>::kept_bytes(n) + std::max(rounds, edge_sort_bytes<T>(n)));
  }

  void find(const TreeView& tree) {
    {
      bvh::HilbertOrder<T> order(points_, stream_);
      with_dimension(points_.dimension, [&](auto d) { find_edges<d>(order); });
    }
    write_tree(edges_, points_.n, tree, stream_);
  }

 private:
  template <int D>
  void find_edges(bvh::HilbertOrder<T>& order) {
    cuda::DeviceBuffer<T> cores;
    if (order.may_have_duplicates()) cores = drop_duplicates<D>(order);
    if (order.n_kept() == 1) return;
    const bvh::OwnedBvh<T, D> boxes(points_, order.ids(), order.n_kept(), stream_);
    run_boruvka(boxes.view(), order.ids(), cores);
  }

  /// Drops copies of points whose core is 0. Returns the cores of the others.
  template <int D>
  cuda::DeviceBuffer<T> drop_duplicates(bvh::HilbertOrder<T>& order) {
    const cuda::DeviceBuffer<T> of_ids(static_cast<std::size_t>(points_.n), stream_);
    {
      const bvh::OwnedBvh<T, D> boxes(points_, order.ids(), points_.n, stream_);
      const cuda::DeviceBuffer<T> of_positions(of_ids.size(), stream_);
      find_cores(boxes.view(), order.ids(), options_.min_samples - 1, of_positions.data(), stream_);
      order.keep_non_zero(of_positions.data());
      cuda::launch_for(stream_, points_.n, detail::scatter_by_id<T>, of_positions.data(),
                       order.ids(), points_.n, of_ids.data());
    }
    order.drop_duplicates(edges_, IdenticalPair<T>{});
    cuda::DeviceBuffer<T> of_kept(static_cast<std::size_t>(order.n_kept()), stream_);
    cuda::launch_for(stream_, order.n_kept(), detail::gather_by_id<T>, of_ids.data(), order.ids(),
                     order.n_kept(), of_kept.data());
    return of_kept;
  }

  template <int D>
  void run_boruvka(const Bvh<T, D>& boxes, const vertex_t* ids, cuda::DeviceBuffer<T>& cores) {
    constexpr int longest = bvh::max_register_list;
    const int length = reachability_list_length(options_.min_samples);
    const int n_neighbours = options_.min_samples - 1;
    const bool in_lists = n_neighbours > 0 && n_neighbours <= length;
    if (cores.size() == 0 && !in_lists) {
      cores = cuda::DeviceBuffer<T>(static_cast<std::size_t>(boxes.n_points), stream_);
      find_cores(boxes, ids, n_neighbours, cores.data(), stream_);
    }
    const knn::OwnedLists<T> lists(boxes.n_points, length, stream_);
    const auto find_knn = length == 8 ? bvh::find_knn<T, D, 8> : bvh::find_knn<T, D, longest>;
    find_lists(find_knn, boxes, ids, lists.view(), stream_);
    const T* core = cores.size() != 0 ? cores.data()
                                      : lists.view().key + (n_neighbours - 1) * lists.view().stride;
    OwnedReachability<T> reachability(boxes, core, options_.factor, stream_);
    reachability.order_lists(lists.view(), length, ids, boxes.n_points);
    BvhBoruvka<T, D, ReachabilityKeys<T>>(boxes, ids, lists.view(), length, reachability.keys(),
                                          edges_, stream_)
        .run(points_.n - 1);
  }

  DevicePoints<T> points_;
  ReachabilityOptions<T> options_;
  const cuda::Stream& stream_;
  cuda::Worklist<Edge<T>> edges_;
};

template <class T>
void reachability_tree_by_bvh(const DevicePoints<T>& points, const ReachabilityOptions<T>& options,
                              const TreeView& tree, const cuda::Stream& stream) {
  ReachabilityTree<T>(points, options, stream).find(tree);
}

template <class T>
std::size_t reachability_bvh_bytes(std::size_t n, std::size_t dimension, int min_samples) {
  return ReachabilityTree<T>::bytes(n, dimension, min_samples);
}

}  // namespace warpgraph::emst
