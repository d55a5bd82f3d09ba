#include "algorithms/mst/forest/bind_results.hpp"
#include "bindings/call.hpp"
#include "bindings/device.hpp"

namespace warpgraph {
namespace {

void label_forest(std::span<const vertex_t> ends, std::span<vertex_t> labels) {
  run_released([&] { forest_labels(ends, labels); });
}

/// Labels the trees of a forest whose edges are on a device. Returns false if they have left it, or
/// if it lacks memory.
bool label_lazy_forest([[maybe_unused]] const LazyResult& edges,
                       [[maybe_unused]] std::span<vertex_t> labels) {
#if defined(WARPGRAPH_HAS_CUDA)
  const std::size_t n_ends = edges.array->bytes() / sizeof(vertex_t);
  return run_released([&] {
    try {
      return edges.array->use_on_device([&](const void* ends) {
        forest_labels_cuda({static_cast<const vertex_t*>(ends), n_ends}, labels,
                           *cuda::BorrowedStream(edges.array->device()));
      });
    } catch (const OutOfMemory&) {
      return false;
    }
  });
#else
  return false;
#endif
}

}  // namespace

void init_mst_labels(py::module_& module) {
  module.def("forest_labels", &label_forest, py::arg("ends"), py::arg("labels"));
  module.def("lazy_forest_labels", &label_lazy_forest, py::arg("edges"), py::arg("labels"));
}

}  // namespace warpgraph
