#include "algorithms/knn/device_results.hpp"
#include "algorithms/knn/device_search.hpp"
#include "algorithms/neighbour_queries/neighbour_queries.hpp"

namespace warpgraph {

template <class T>
void nearest_of_queries_cuda(PointsView<T> points, PointsView<T> queries, const KnnOptions& options,
                             const NeighboursView& out, const MemoryBudget& budget,
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

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(nearest_of_queries_cuda)

}  // namespace warpgraph
