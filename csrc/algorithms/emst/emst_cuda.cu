#include "algorithms/emst/device_methods.hpp"
#include "core/cuda/memory/buffer.hpp"

#include <stdexcept>

namespace warpgraph {

template <class T>
void emst_cuda(PointsView<T> points, const EmstOptions& options, const TreeView& tree,
               const MemoryBudget& budget, const cuda::Stream& stream) {
  if (options.min_samples > 1) {
    throw std::invalid_argument(concat("a tree with min_samples ", options.min_samples,
                                       " is found on the CPU only: pass device='cpu'"));
  }
  const auto n = static_cast<std::size_t>(points.n_points);
  const auto dimension = static_cast<std::size_t>(points.dimension);
  const bool resident = device_holding(points.coordinates) == stream.device();
  const bool use_bvh = points.dimension <= emst::max_bvh_dimensions;
  budget.require(
      concat("the spanning tree of ", n, " points"),
      (resident ? 0 : n * dimension * sizeof(T)) +
          (use_bvh ? emst::bvh_bytes<T>(n, dimension) : emst::brute_force_bytes<T>(n, dimension)),
      "pass fewer points, or float32 instead of float64");
  const std::span<const T> given(points.coordinates, n * dimension);
  const auto copy = resident ? cuda::DeviceBuffer<T>() : cuda::to_device(given, stream);
  const emst::DevicePoints<T> device_points{resident ? given.data() : copy.data(), points.n_points,
                                            static_cast<int>(points.dimension)};
  (use_bvh ? emst::emst_by_bvh<T> : emst::emst_by_brute_force<T>)(device_points, tree, stream);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(emst_cuda)

}  // namespace warpgraph
