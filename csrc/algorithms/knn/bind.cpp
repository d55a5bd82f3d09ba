#include "algorithms/knn/knn.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graph/points.hpp"

namespace warpgraph {
namespace {

/// Returns the items of an array in host memory or on `device`, or null for None.
template <class T>
T* data_or_null(const py::object& array, Device device) {
  return array.is_none() ? nullptr : writable_items<T>(array, device).span.data();
}

NeighboursView view_of(const py::object& neighbours, const py::object& distances,
                       const py::object& farthest, Device device) {
  return {data_or_null<vertex_t>(neighbours, device), data_or_null<double>(distances, device),
          data_or_null<double>(farthest, device)};
}

void knn(const KnnOptions& options, const py::object& array, const py::object& neighbours,
         const py::object& distances, const py::object& farthest, Device device,
         MemoryBudget budget, Progress progress) {
  const NeighboursView out = view_of(neighbours, distances, farthest, device);
  dispatch_real(dtype_of(array), [&]<class T>() {
    const Points<T> points(array, device);
    run_released(std::move(progress), [&] {
      run_on(
          device, [&] { knn_cpu(points.view(), options, out, budget); },
          [&](const auto& stream) {
            knn_cuda(points.view(), options, out, budget.on(device), stream);
          });
    });
  });
}

void reference_neighbours(const KnnOptions& options, const py::array& array,
                          const py::object& neighbours, const py::object& distances,
                          const py::object& farthest) {
  const NeighboursView out = view_of(neighbours, distances, farthest, Device{});
  dispatch_real(array.dtype(), [&]<class T>() {
    const Points<T> points(array, Device{});
    run_released([&] { knn_reference(points.view(), options, out); });
  });
}

}  // namespace

void init_knn(py::module_& module) {
  const auto n_neighbors = keyword("n_neighbors", &KnnOptions::n_neighbors);
  const auto include_self = keyword("include_self", &KnnOptions::include_self);
  define(module, "knn", &knn,
         {"points", "neighbours", "distances", "farthest", "device", "ledger", "progress"},
         n_neighbors, include_self, keyword("by_products", &KnnOptions::by_products));
  define(module, "knn_reference", &reference_neighbours,
         {"points", "neighbours", "distances", "farthest"}, n_neighbors, include_self);
}

}  // namespace warpgraph
