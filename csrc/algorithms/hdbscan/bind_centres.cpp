#include "algorithms/hdbscan/hdbscan.hpp"
#include "bindings/arrays.hpp"
#include "bindings/call.hpp"
#include "bindings/graph/points.hpp"

namespace warpgraph {
namespace {

py::array find_centroids(const py::array& array, std::span<const vertex_t> labels,
                         std::span<const double> weights, std::int64_t n_clusters) {
  return dispatch_real(array.dtype(), [&]<class T>() -> py::array {
    const Points<T> points(array, Device{});
    const WeightedLabels clusters{labels, weights, n_clusters};
    return to_array(run_released([&] { return centroids(points.view(), clusters); }))
        .reshape({n_clusters, points.dimension});
  });
}

py::array_t<vertex_t> find_medoids(const py::array& array, std::span<const vertex_t> labels,
                                   std::span<const double> weights, std::int64_t n_clusters) {
  return dispatch_real(array.dtype(), [&]<class T>() {
    const Points<T> points(array, Device{});
    const WeightedLabels clusters{labels, weights, n_clusters};
    return to_array(run_released([&] { return medoids(points.view(), clusters); }));
  });
}

}  // namespace

void init_hdbscan_centres(py::module_& module) {
  module.def("centroids", &find_centroids, py::arg("points"), py::arg("labels"), py::arg("weights"),
             py::arg("n_clusters"));
  module.def("medoids", &find_medoids, py::arg("points"), py::arg("labels"), py::arg("weights"),
             py::arg("n_clusters"));
}

}  // namespace warpgraph
