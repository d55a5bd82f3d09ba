#include "algorithms/knn/knn.hpp"
#include "bindings/call.hpp"
#include "bindings/graph/points.hpp"
#include "bindings/keywords.hpp"

namespace warpgraph {
namespace {

/// The items of an array, or null for None.
template <class T>
T* data_or_null(const py::object& array) {
  return array.is_none() ? nullptr : writable_items<T>(array, Device{}).span.data();
}

NeighboursView view_of(const py::object& neighbours, const py::object& distances,
                       const py::object& farthest) {
  return {data_or_null<vertex_t>(neighbours), data_or_null<double>(distances),
          data_or_null<double>(farthest)};
}

void knn(const KnnOptions& options, const py::array& array, const py::object& neighbours,
         const py::object& distances, const py::object& farthest, std::size_t memory_limit,
         Progress progress) {
  const NeighboursView out = view_of(neighbours, distances, farthest);
  dispatch_real(array.dtype(), [&]<class T>() {
    const Points<T> points(array, Device{});
    run_released(std::move(progress), [&] {
      knn_cpu(points.view(), options, out, MemoryBudget(Device{}, memory_limit));
    });
  });
}

void reference_neighbours(const KnnOptions& options, const py::array& array,
                          const py::object& neighbours, const py::object& distances,
                          const py::object& farthest) {
  const NeighboursView out = view_of(neighbours, distances, farthest);
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
         {"points", "neighbours", "distances", "farthest", "memory_limit", "progress"}, n_neighbors,
         include_self);
  define(module, "knn_reference", &reference_neighbours,
         {"points", "neighbours", "distances", "farthest"}, n_neighbors, include_self);
}

}  // namespace warpgraph
