#include "algorithms/knn/device_results.hpp"
#include "algorithms/knn/row_writer.cuh"
#include "primitives/knn/brute_force.cuh"
#include "primitives/metric/device_metrics.hpp"

#include <algorithm>

namespace warpgraph {

template <class Coordinate>
void knn_by_metric_cuda(PointsView<Coordinate> points, const Metric& metric,
                        const KnnOptions& options, const NeighboursView& out, MemoryBudget budget,
                        const cuda::Stream& stream) {
  const auto n = static_cast<std::size_t>(points.n_points);
  const int length = options.n_neighbors - (options.include_self ? 1 : 0);
  const std::size_t bytes = n * static_cast<std::size_t>(points.dimension) * sizeof(Coordinate) +
                            knn::slice_bytes<double>(n, std::max(length, 1));
  const auto search = [&](const DevicePoints<Coordinate>& there, const NeighboursView& results) {
    const knn::OwnedColumns<Coordinate> columns(there, stream);
    with_device_metric<Coordinate>(metric, [&](const auto& of) {
      knn::write_all_rows<double, knn::KeyItself>(options, results, there.n, nullptr, stream,
                                                  [&](int entries, bool sorted, const auto& use) {
                                                    knn::for_each_slice(columns.view(), of, entries,
                                                                        sorted, stream, use);
                                                  });
    });
  };
  knn::search_all_points(points, options, out, {bytes, advice_for<Coordinate>}, budget, stream,
                         search);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(knn_by_metric_cuda)
WARPGRAPH_INSTANTIATE_FUNCTION(knn_by_metric_cuda, std::uint64_t)

}  // namespace warpgraph
