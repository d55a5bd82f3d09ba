// Queries on points of float or double in the memory of a device.
#include "bindings/call.hpp"
#include "bindings/graph/points.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "graph/points/device_points.hpp"
#endif

namespace warpgraph {
namespace {

std::int64_t find_non_finite(const py::object& array, Device device) {
  return dispatch_real(dtype_of(array), [&]<class T>() {
    const Points<T> points(array, device);
    return run_released([&] {
      return run_on_cuda<std::int64_t>(
          device, [&](const auto& stream) { return first_non_finite(points.view(), stream); });
    });
  });
}

void take_rows(const py::object& array, std::span<const std::int64_t> rows, py::array taken,
               Device device) {
  dispatch_real(dtype_of(array), [&]<class T>() {
    const Points<T> points(array, device);
    const std::span<T> to = writable<T>(taken);
    run_released([&] {
      run_on_cuda(device,
                  [&](const auto& stream) { gather_rows(points.view(), rows, to, stream); });
    });
  });
}

}  // namespace

void init_device_points(py::module_& module) {
  module.def("first_not_finite", &find_non_finite, py::arg("points"), py::arg("device"));
  module.def("take_rows", &take_rows, py::arg("points"), py::arg("rows"), py::arg("taken"),
             py::arg("device"));
}

}  // namespace warpgraph
