#include "algorithms/emst/device_methods.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/memory/buffer.hpp"

namespace warpgraph {
namespace {

template <class T>
using Reachability = emst::ReachabilityOptions<T>;

template <class T>
std::size_t bytes_of_method(std::size_t n, std::size_t dimension, const Reachability<T>& options) {
  const bool use_bvh = dimension <= emst::max_bvh_dimensions;
  if (options.is_plain()) {
    return use_bvh ? emst::bvh_bytes<T>(n, dimension) : emst::brute_force_bytes<T>(n, dimension);
  }
  return use_bvh ? emst::reachability_bvh_bytes<T>(n, dimension, options.min_samples)
                 : emst::reachability_brute_force_bytes<T>(n, dimension, options.min_samples);
}

template <class T>
void run_method(const DevicePoints<T>& points, const Reachability<T>& options, const TreeView& tree,
                const cuda::Stream& stream) {
  const bool use_bvh = points.dimension <= emst::max_bvh_dimensions;
  if (options.is_plain()) {
    (use_bvh ? emst::emst_by_bvh<T> : emst::emst_by_brute_force<T>)(points, tree, stream);
  } else {
    (use_bvh ? emst::reachability_tree_by_bvh<T>
             : emst::reachability_tree_by_brute_force<T>)(points, options, tree, stream);
  }
}

}  // namespace

template <class T>
void emst_cuda(PointsView<T> points, const EmstOptions& options, const TreeView& tree,
               MemoryBudget budget, const cuda::Stream& stream) {
  const auto n = static_cast<std::size_t>(points.n_points);
  const auto dimension = static_cast<std::size_t>(points.dimension);
  const Reachability<T> reachability{options.min_samples, emst::distance_factor<T>(options.alpha)};
  const bool resident = device_holding(points.coordinates) == stream.device();
  budget.require(
      concat("the spanning tree of ", n, " points"),
      (resident ? 0 : n * dimension * sizeof(T)) + bytes_of_method<T>(n, dimension, reachability),
      "pass fewer points, or float32 instead of float64");
  const std::span<const T> given(points.coordinates, n * dimension);
  const auto copy = resident ? cuda::DeviceBuffer<T>() : cuda::to_device(given, stream);
  const DevicePoints<T> device_points{resident ? given.data() : copy.data(), points.n_points,
                                      static_cast<int>(points.dimension)};
  const std::size_t n_edges = n == 0 ? 0 : n - 1;
  const cuda::MapWhileWaiting edge_pages(tree.edges, 2 * n_edges * sizeof(vertex_t));
  const cuda::MapWhileWaiting weight_pages(tree.weights, n_edges * sizeof(double));
  run_method(device_points, reachability, tree, stream);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(emst_cuda)

}  // namespace warpgraph
