#include "algorithms/knn/device_search.hpp"
#include "algorithms/knn/row_writer.cuh"
#include "primitives/knn/brute_force.cuh"

namespace warpgraph::knn {

template <class T>
void search_tiles(const DevicePoints<T>& points, const KnnOptions& options,
                  const NeighboursView& out, const cuda::Stream& stream) {
  const OwnedColumns<T> columns(points, stream);
  write_all_rows<T>(
      options, out, points.n, nullptr, stream, [&](int length, bool sorted, const auto& use) {
        for_each_slice(columns.view(), SquaredDistances<T>{}, length, sorted, stream, use);
      });
}

template <class T>
std::size_t tiles_bytes(std::size_t n, std::size_t dimension, int length) {
  return n * dimension * sizeof(T) + slice_bytes<T>(n, std::max(length, 1));
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(search_tiles)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(tiles_bytes)

}  // namespace warpgraph::knn
