#include "algorithms/kmeans/bind_weights.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"

namespace warpgraph {
namespace {

py::array_t<vertex_t> farthest(const py::object& array, const py::object& weights, vertex_t k,
                               Device device) {
  return dispatch_real(dtype_of(array), [&]<class T>() {
    const Points<T> points(array, device);
    const Weights given(weights);
    return to_array(run_released([&] {
      return run_on(
          device, points, given, [&](const auto& view) { return farthest_points(view, k); },
          [&](const auto& view, const auto& stream) {
            return farthest_points_cuda(view, k, stream);
          });
    }));
  });
}

py::array_t<vertex_t> plus_plus(const py::object& array, const py::object& weights, vertex_t k,
                                std::span<const double> uniforms, Device device,
                                MemoryBudget budget) {
  return dispatch_real(dtype_of(array), [&]<class T>() {
    const Points<T> points(array, device);
    const Weights given(weights);
    return to_array(run_released([&] {
      return run_on(
          device, points, given,
          [&](const auto& view) { return plus_plus_points(view, k, uniforms, budget); },
          [&](const auto& view, const auto& stream) {
            return plus_plus_points_cuda(view, k, uniforms, budget.on(device), stream);
          });
    }));
  });
}

}  // namespace

void init_kmeans_starts(py::module_& module) {
  module.def("farthest_points", &farthest, py::arg("points"), py::arg("weights"), py::arg("k"),
             py::arg("device"));
  module.def("plus_plus_points", &plus_plus, py::arg("points"), py::arg("weights"), py::arg("k"),
             py::arg("uniforms"), py::arg("device"), py::arg("ledger"));
}

}  // namespace warpgraph
