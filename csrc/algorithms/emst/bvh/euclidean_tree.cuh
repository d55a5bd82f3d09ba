// The plain tree over a BVH.
#pragma once

#include "algorithms/emst/bvh/bvh_boruvka.cuh"

namespace warpgraph::emst {

/// The length of the lists. Most edges of a tree lead to one of these neighbours. Measured: shorter
/// lists cost more in later searches than they save, longer ones cost more to build.
template <int D>
inline constexpr int knn_length = D <= 4 ? 5 : 6;

template <class T>
void emst_by_bvh(const DevicePoints<T>& points, const TreeView& tree, const cuda::Stream& stream) {
  cuda::Worklist<Edge<T>> edges(points.n, stream);
  {
    bvh::HilbertOrder<T> order(points, stream);
    order.drop_duplicates(edges, IdenticalPair<T>{});
    with_dimension(points.dimension, [&](auto d) {
      constexpr int length = knn_length<d>;
      const bvh::OwnedBvh<T, d> boxes(points, order.ids(), order.n_kept(), stream);
      const knn::OwnedLists<T> lists(order.n_kept(), length, stream);
      BvhBoruvka<T, d, EuclideanKeys<T>> boruvka(boxes.view(), order.ids(), lists.view(), length,
                                                 {}, edges, stream);
      if (order.n_kept() > 1) {
        find_lists(bvh::find_knn<T, d, length>, boxes.view(), order.ids(), lists.view(), stream);
      }
      boruvka.run(points.n - 1);
    });
  }
  write_tree(edges, points.n, tree, stream);
}

template <class T>
std::size_t bvh_bytes(std::size_t n, std::size_t dimension) {
  const std::size_t rounds = with_dimension(static_cast<std::int64_t>(dimension), [&](auto d) {
    constexpr int length = knn_length<d>;
    return bvh::OwnedBvh<T, d>::bytes(n) + knn::OwnedLists<T>::bytes(n, length) +
           BvhBoruvka<T, d, EuclideanKeys<T>>::bytes(n) + bvh::HilbertOrder<T>::kept_bytes(n);
  });
  return n * sizeof(Edge<T>) +
         std::max({bvh::HilbertOrder<T>::bytes(n), rounds, edge_sort_bytes<T>(n)});
}

}  // namespace warpgraph::emst
