#include "bindings/on_device/device_arrays.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/check.hpp"
#include "core/cuda/device_guard.hpp"
#endif

namespace warpgraph {

void synchronize_owner_stream(const py::dict& interface, [[maybe_unused]] Device device) {
  if (!interface.contains("stream") || interface["stream"].is_none()) return;
#if defined(WARPGRAPH_HAS_CUDA)
  const auto handle = interface["stream"].cast<std::uintptr_t>();
  const cuda::DeviceGuard guard(device);
  const py::gil_scoped_release released;
  // The interface uses CUDA's own handles for the default streams, 1 and 2.
  CUDA_TRY(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(handle)));
#endif
}

RowMatrix<void> layout_of(const py::object& array) {
  py::tuple shape;
  py::object strides = py::none();
  const bool on_device = is_device_array(array);
  if (on_device) {
    const py::dict interface = array.attr("__cuda_array_interface__");
    shape = py::tuple(interface["shape"]);
    if (interface.contains("strides")) strides = interface["strides"];
  } else {
    shape = py::tuple(array.attr("shape"));
    strides = array.attr("strides");
  }
  EXPECTS(shape.size() == 2, "results must be a matrix");
  const auto rows = shape[0].cast<std::int64_t>();
  const auto columns = shape[1].cast<std::int64_t>();
  // The strides of an empty array mean nothing; NumPy has zeros there.
  if (strides.is_none() || rows == 0) return {nullptr, columns, on_device, rows, columns};
  const auto item = static_cast<std::int64_t>(dtype_of(array).itemsize());
  const auto step = py::tuple(strides)[0].cast<std::int64_t>();
  EXPECTS(columns <= 1 || py::tuple(strides)[1].cast<std::int64_t>() == item,
          "rows must be contiguous");
  EXPECTS(rows <= 1 || (step % item == 0 && step >= item * columns), "rows must not overlap");
  return {nullptr, rows <= 1 ? columns : step / item, on_device, rows, columns};
}

}  // namespace warpgraph
