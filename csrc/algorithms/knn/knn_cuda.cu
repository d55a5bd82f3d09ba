#include "algorithms/knn/device_results.hpp"
#include "algorithms/knn/device_search.hpp"

namespace warpgraph {
namespace {

template <class T>
std::size_t bytes_of_method(std::size_t n, std::size_t dimension, int length) {
  return dimension <= max_fixed_dimension ? knn::boxes_bytes<T>(n, dimension, length)
                                          : knn::tiles_bytes<T>(n, dimension, length);
}

}  // namespace

template <class T>
void knn_cuda(PointsView<T> points, const KnnOptions& options, const NeighboursView& out,
              const MemoryBudget& budget, const cuda::Stream& stream) {
  const auto dimension = static_cast<std::size_t>(points.dimension);
  const int length = options.n_neighbors - (options.include_self ? 1 : 0);
  const std::size_t bytes =
      bytes_of_method<T>(static_cast<std::size_t>(points.n_points), dimension, length);
  auto* const search =
      dimension <= max_fixed_dimension ? knn::search_boxes<T> : knn::search_tiles<T>;
  knn::search_all_points(points, options, out,
                         {bytes, "pass fewer points, or float32 instead of float64"}, budget,
                         stream, [&](const DevicePoints<T>& there, const NeighboursView& results) {
                           search(there, options, results, stream);
                         });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(knn_cuda)

}  // namespace warpgraph
