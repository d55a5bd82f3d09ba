#include "algorithms/emst/brute_force/brute_force_boruvka.cuh"
#include "core/cuda/copies/upload.hpp"
#include "primitives/metric/device_metrics.hpp"

#include <algorithm>

namespace warpgraph {

template <class Coordinate>
void emst_by_metric_cuda(PointsView<Coordinate> points, const Metric& metric,
                         const EmstOptions& options, const TreeView& tree, MemoryBudget budget,
                         const cuda::Stream& stream) {
  const auto n = static_cast<std::size_t>(points.n_points);
  const auto dimension = static_cast<std::size_t>(points.dimension);
  const bool resident = device_holding(points.coordinates) == stream.device();
  with_device_metric<Coordinate>(metric, [&]<class MetricOf>(const MetricOf& of) {
    using Keys = emst::brute_force::MetricKeys<Coordinate, MetricOf>;
    const std::size_t size = n * dimension * sizeof(Coordinate);
    const std::size_t of_lists =
        size + knn::slice_bytes<double>(n, std::max(options.min_samples - 1, 1));
    budget.require(concat("the spanning tree of ", n, " points"),
                   (resident ? 0 : size) + n * sizeof(double) +
                       std::max(emst::brute_force::bytes_of_tree<Keys>(n, dimension), of_lists),
                   advice_for<Coordinate>);
    const std::span<const Coordinate> given(points.coordinates, n * dimension);
    const auto copy = resident ? cuda::DeviceBuffer<Coordinate>() : cuda::to_device(given, stream);
    const DevicePoints<Coordinate> there{resident ? given.data() : copy.data(), points.n_points,
                                         static_cast<int>(points.dimension)};
    const knn::OwnedColumns<Coordinate> columns(there, stream);
    const auto cores = emst::brute_force::cores_of(columns.view(), of, options.min_samples, stream);
    emst::brute_force::find_tree(columns.view(), Keys{cores.data(), options.alpha, of}, tree,
                                 stream);
  });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(emst_by_metric_cuda)
WARPGRAPH_INSTANTIATE_FUNCTION(emst_by_metric_cuda, std::uint64_t)

}  // namespace warpgraph
