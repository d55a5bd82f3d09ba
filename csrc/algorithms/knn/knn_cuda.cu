#include "algorithms/knn/device_results.hpp"
#include "algorithms/knn/device_search.hpp"
#include "primitives/products/on_devices.hpp"

namespace warpgraph {
namespace {

/// A search, and the bytes that it allocates.
template <class T>
struct Method {
  void (*search)(const DevicePoints<T>&, const KnnOptions&, const NeighboursView&,
                 const cuda::Stream&);
  std::size_t (*bytes)(std::size_t n, std::size_t dimension, int length);
};

template <class T>
Method<T> method_for(std::int64_t n, std::int64_t dimension, int length) {
  if (dimension <= max_fixed_dimension) return {knn::search_boxes<T>, knn::boxes_bytes<T>};
  if (products::find_neighbours(n, dimension, length)) {
    return {knn::search_products<T>, knn::products_bytes<T>};
  }
  return {knn::search_tiles<T>, knn::tiles_bytes<T>};
}

}  // namespace

template <class T>
void knn_cuda(PointsView<T> points, const KnnOptions& options, const NeighboursView& out,
              MemoryBudget budget, const cuda::Stream& stream) {
  const auto dimension = static_cast<std::size_t>(points.dimension);
  const int length = options.n_neighbors - (options.include_self ? 1 : 0);
  const Method<T> method = method_for<T>(points.n_points, points.dimension, length);
  const std::size_t bytes =
      method.bytes(static_cast<std::size_t>(points.n_points), dimension, length);
  knn::search_all_points(points, options, out,
                         {bytes, "pass fewer points, or float32 instead of float64"}, budget,
                         stream, [&](const DevicePoints<T>& there, const NeighboursView& results) {
                           method.search(there, options, results, stream);
                         });
}

template <class T>
void nearest_of_queries_cuda(PointsView<T> points, PointsView<T> queries, const KnnOptions& options,
                             const NeighboursView& out, MemoryBudget budget,
                             const cuda::Stream& stream) {
  KnnOptions of_others = options;
  of_others.include_self = false;
  const std::size_t bytes = knn::products_of_queries_bytes<T>(
      static_cast<std::size_t>(points.n_points), static_cast<std::size_t>(queries.n_points),
      static_cast<std::size_t>(points.dimension), options.n_neighbors);
  knn::search_queries(points, queries, of_others, out,
                      {bytes, "pass fewer points, or float32 instead of float64"}, budget, stream,
                      [&](const DevicePoints<T>& there, const DevicePoints<T>& from,
                          const NeighboursView& results) {
                        knn::search_products_of_queries(there, from, of_others, results, stream);
                      });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(knn_cuda)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(nearest_of_queries_cuda)

}  // namespace warpgraph
