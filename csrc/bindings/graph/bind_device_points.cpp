// Queries on points of float or double, and copies of arrays in the memory of a device.
#include "bindings/call.hpp"
#include "bindings/graph/points.hpp"
#include "graph/points/finite.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/stream_pool.hpp"
#include "graph/points/device_points.hpp"
#endif

namespace warpgraph {
namespace {

std::int64_t find_non_finite(const py::object& array, Device device) {
  return dispatch_real(dtype_of(array), [&]<class T>() {
    const Points<T> points(array, device);
    return run_released([&] {
      return run_on(
          device, [&] { return first_non_finite(points.view()); },
          [&](const auto& stream) { return first_non_finite(points.view(), stream); });
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

/// Copies a C-contiguous array on a device to a NumPy array.
py::array copy_to_host(const py::object& array, [[maybe_unused]] Device device) {
  const py::dict interface = array.attr("__cuda_array_interface__");
  const auto shape = py::tuple(interface["shape"]).cast<std::vector<py::ssize_t>>();
  py::array copy(dtype_of(array), shape);
#if defined(WARPGRAPH_HAS_CUDA)
  const auto address = py::tuple(interface["data"])[0].cast<std::uintptr_t>();
  const auto* const from = reinterpret_cast<const std::byte*>(address);  // NOLINT
  auto* const to = static_cast<std::byte*>(copy.mutable_data());
  const auto n_bytes = static_cast<std::size_t>(copy.nbytes());
  synchronize_owner_stream(interface, device);
  run_released([&] { cuda::copy_out(to, from, n_bytes, *cuda::BorrowedStream(device)); });
#endif
  return copy;
}

}  // namespace

void init_device_points(py::module_& module) {
  module.def("first_not_finite", &find_non_finite, py::arg("points"), py::arg("device"));
  module.def("take_rows", &take_rows, py::arg("points"), py::arg("rows"), py::arg("taken"),
             py::arg("device"));
  module.def("copy_to_host", &copy_to_host, py::arg("array"), py::arg("device"));
}

}  // namespace warpgraph
