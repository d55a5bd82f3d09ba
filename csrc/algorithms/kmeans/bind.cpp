#include "algorithms/kmeans/bind_weights.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"

namespace warpgraph {
namespace {

/// Centres, labels, inertia, number of iterations, and number of centres that have points.
using Clusters = Tuple<py::array, py::array, double, int, std::int64_t>;

/// Finds clusters, beginning with the centres `start`.
Clusters cluster(const KMeansOptions& options, const py::object& array, const py::object& weights,
                 const py::array& start, Device device, MemoryBudget budget, Progress progress) {
  return dispatch_real(dtype_of(array), [&]<class T>() -> Clusters {
    const Points<T> points(array, device);
    const Weights given(weights);
    const std::span<const T> centres = readable<T>(start);
    std::int64_t n_used = 0;
    KMeansResult<T> found = run_released(std::move(progress), [&] {
      KMeansResult<T> result = run_on(
          device, points, given,
          [&](const auto& view) { return kmeans_cpu(view, centres, options, budget); },
          [&](const auto& view, const auto& stream) {
            return kmeans_cuda(view, centres, options, budget.on(device), stream);
          });
      n_used = count_used(result.labels, given.data(), start.shape(0));
      return result;
    });
    return py::make_tuple(
        to_array(std::move(found.centres)).reshape({start.shape(0), start.shape(1)}),
        to_array(std::move(found.labels)), found.inertia, found.iterations, n_used);
  });
}

/// Fills `labels` with the nearest centre of every point. Returns the inertia.
double nearest(const py::object& array, const py::object& weights, const py::array& centres,
               std::span<vertex_t> labels, Device device) {
  return dispatch_real(dtype_of(array), [&]<class T>() {
    const Points<T> points(array, device);
    const Weights given(weights);
    const std::span<const T> coordinates = readable<T>(centres);
    return run_released([&] {
      return run_on(
          device, points, given,
          [&](const auto& view) { return nearest_centres(view, coordinates, labels); },
          [&](const auto& view, const auto& stream) {
            return nearest_centres_cuda(view, coordinates, labels, stream);
          });
    });
  });
}

}  // namespace

void init_kmeans(py::module_& module) {
  define(module, "kmeans", &cluster, {"points", "weights", "start", "device", "ledger", "progress"},
         keyword("max_iterations", &KMeansOptions::max_iterations),
         keyword("tolerance", &KMeansOptions::tolerance));
  module.def("nearest_centres", &nearest, py::arg("points"), py::arg("weights"), py::arg("centres"),
             py::arg("labels"), py::arg("device"));
}

}  // namespace warpgraph
