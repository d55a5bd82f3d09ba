#pragma once

#include "algorithms/knn/device_search.hpp"
#include "algorithms/knn/row_writer.cuh"
#include "primitives/bvh/knn_lists.cuh"
#include "primitives/bvh/owned_bvh.cuh"

#include <algorithm>

namespace warpgraph::knn {

template <class T>
void search_boxes(const DevicePoints<T>& points, const KnnOptions& options,
                  const NeighboursView& out, const cuda::Stream& stream) {
  const bvh::HilbertOrder<T> order(points, stream);
  with_dimension(points.dimension, [&](auto d) {
    const bvh::OwnedBvh<T, d> boxes(points, order.ids(), points.n, stream);
    write_all_rows<T>(
        options, out, points.n, order.ids(), stream, [&](int length, bool sorted, const auto& use) {
          bvh::for_each_knn_slice(boxes.view(), order.ids(), length, sorted, stream, use);
        });
  });
}

template <class T>
std::size_t boxes_bytes(std::size_t n, std::size_t dimension, int length) {
  const std::size_t of_boxes = with_dimension(
      static_cast<std::int64_t>(dimension), [&](auto d) { return bvh::OwnedBvh<T, d>::bytes(n); });
  const std::size_t of_lists = bvh::knn_slice_bytes<T>(n, std::max(length, 1));
  return std::max(bvh::HilbertOrder<T>::bytes(n),
                  bvh::HilbertOrder<T>::kept_bytes(n) + of_boxes + of_lists);
}

}  // namespace warpgraph::knn
