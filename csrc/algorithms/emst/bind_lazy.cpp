// Trees of points that stay on the device that has found them.
#include "algorithms/emst/emst.hpp"
#include "bindings/call.hpp"
#include "bindings/core/lazy_result.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graph/points.hpp"

namespace warpgraph {
namespace {

#if defined(WARPGRAPH_HAS_CUDA)

struct TreeOnDevice {
  cuda::DeviceBuffer<vertex_t> edges;
  cuda::DeviceBuffer<double> weights;

  static constexpr std::size_t bytes_per_edge = 2 * sizeof(vertex_t) + sizeof(double);
};

/// Finds the tree; nothing if the device lacks memory for keeping it there.
template <class T>
std::optional<TreeOnDevice> find_tree_on_device(PointsView<T> points, const EmstOptions& options,
                                                int exponent, Device device) {
  const std::size_t n = static_cast<std::size_t>(points.n_points) - 1;
  if (!may_stay_on(device, n * TreeOnDevice::bytes_per_edge)) return std::nullopt;
  try {
    const cuda::BorrowedStream kept(device, cuda::Lifetime::kept);
    TreeOnDevice tree{{2 * n, *kept}, {n, *kept}};
    (*kept).synchronize();
    const cuda::BorrowedStream stream(device);
    emst_cuda(points, options, {tree.edges.data(), tree.weights.data(), exponent},
              MemoryBudget(device), *stream);
    (*stream).synchronize();
    return tree;
  } catch (const OutOfMemory&) {
    return std::nullopt;
  }
}

#endif

/// Returns (edges, weights), of LazyResult; None if the tree may not stay on
/// the device: if there is a limit of memory, or the tree is small, or the device lacks memory.
py::object lazy_emst([[maybe_unused]] const EmstOptions& options,
                     [[maybe_unused]] const py::object& array, [[maybe_unused]] int exponent,
                     [[maybe_unused]] Device device, MemoryBudget budget,
                     [[maybe_unused]] Progress progress) {
  py::object found = py::none();
  if (budget.is_limited()) return found;
#if defined(WARPGRAPH_HAS_CUDA)
  dispatch_real(dtype_of(array), [&]<class T>() {
    const Points<T> points(array, device);
    if (points.n < 2) return;
    auto tree = run_released(std::move(progress), [&] {
      return find_tree_on_device(points.view(), options, exponent, device);
    });
    if (!tree) return;
    const py::ssize_t n = points.n - 1;
    found = py::make_tuple(to_lazy(std::move(tree->edges), {n, 2}, device),
                           to_lazy(std::move(tree->weights), {n}, device));
  });
#endif
  return found;
}

}  // namespace

void init_emst_lazy(py::module_& module) {
  define(module, "lazy_emst", &lazy_emst, {"points", "exponent", "device", "ledger", "progress"},
         keyword("min_samples", &EmstOptions::min_samples), keyword("alpha", &EmstOptions::alpha));
}

}  // namespace warpgraph
