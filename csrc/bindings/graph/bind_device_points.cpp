// Finite points on the host or a device; rows of points and arrays that are copied from a device.
#include "bindings/call.hpp"
#include "bindings/core/device_array.hpp"
#include "bindings/graph/points.hpp"
#include "graph/points/finite.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "graph/points/device_points.hpp"
#endif

namespace warpgraph {
namespace {

/// Returns the first point that is not finite. The points lie on the device, or on the host if it
/// is that.
std::int64_t first_not_finite(const py::object& array, Device device) {
  return dispatch_real(dtype_of(array), [&]<class T>() {
    const Points<T> points(array, device);
    return run_released([&] {
      return run_on(
          device, [&] { return first_non_finite(points.view()); },
          [&](const auto& stream) { return first_non_finite(points.view(), stream); });
    });
  });
}

/// Copies rows of points on a GPU to `taken`, a NumPy array of their dtype. Rows are not checked.
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

/// Copies a C-contiguous array on a device to a NumPy array.
py::array copy_to_host(const py::object& array, Device device) {
  const py::dict interface = array.attr("__cuda_array_interface__");
  const auto shape = py::tuple(interface["shape"]).cast<DeviceArray::Extents>();
  const auto address = py::tuple(interface["data"])[0].cast<std::uintptr_t>();
  synchronize_owner_stream(interface, device);
  const auto* const data = reinterpret_cast<const void*>(address);  // NOLINT(performance-*)
  return numpy_copy(data, shape, dtype_of(array), device);
}

}  // namespace

void init_device_points(py::module_& module) {
  module.def("first_not_finite", &first_not_finite, py::arg("points"), py::arg("device"));
  module.def("take_rows", &take_rows, py::arg("points"), py::arg("rows"), py::arg("taken"),
             py::arg("device"));
  module.def("copy_to_host", &copy_to_host, py::arg("array"), py::arg("device"));
}

}  // namespace warpgraph
