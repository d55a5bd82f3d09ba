// What device_arrays.hpp declares, and an array of our own for those who have no library for that.
#include "bindings/call.hpp"
#include "bindings/device_arrays.hpp"
#include "bindings/graph_handle.hpp"

#include <pybind11/stl.h>

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/buffer.hpp"
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph {

void wait_for_owner(const py::dict& interface, [[maybe_unused]] Device device) {
  if (!interface.contains("stream") || interface["stream"].is_none()) return;
#if defined(WARPGRAPH_HAS_CUDA)
  const auto handle = interface["stream"].cast<std::uintptr_t>();
  const cuda::DeviceGuard guard(device);
  const py::gil_scoped_release released;
  // 1 and 2 are the default streams, here and in the interface alike.
  CUDA_TRY(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(handle)));
#endif
}

Rows<void> layout_of(const py::object& array) {
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
  EXPECTS(shape.size() == 2, "results are a matrix");
  const auto rows = shape[0].cast<std::int64_t>();
  const auto columns = shape[1].cast<std::int64_t>();
  if (strides.is_none()) return {nullptr, columns, on_device, rows, columns};
  const auto item = static_cast<std::int64_t>(dtype_of(array).itemsize());
  const auto step = py::tuple(strides)[0].cast<std::int64_t>();
  EXPECTS(columns <= 1 || py::tuple(strides)[1].cast<std::int64_t>() == item,
          "rows must be contiguous");
  EXPECTS(rows <= 1 || (step % item == 0 && step >= item * columns), "rows must not overlap");
  return {nullptr, rows <= 1 ? columns : step / item, on_device, rows, columns};
}

namespace {

#if defined(WARPGRAPH_HAS_CUDA)

/// Uninitialised memory on a device, for tests and benchmarks.
class DeviceArray {
 public:
  DeviceArray(const py::object& shape, py::dtype dtype, const std::string& device)
      : shape_(as_shape(shape)),
        dtype_(std::move(dtype)),
        stream_(Device::parse(device)),
        bytes_(size_of(shape_) * static_cast<std::size_t>(dtype_.itemsize()), *stream_) {
    (*stream_).synchronize();
  }

  [[nodiscard]] py::dict interface() const {
    py::dict result;
    result["shape"] = shape_;
    result["typestr"] = dtype_.attr("str");
    result["data"] = py::make_tuple(reinterpret_cast<std::uintptr_t>(bytes_.data()), false);
    result["version"] = 3;
    return result;
  }

  [[nodiscard]] py::array to_numpy() const {
    py::array copy(dtype_, shape_.cast<std::vector<py::ssize_t>>());
    cuda::copy(static_cast<std::byte*>(copy.mutable_data()), bytes_.data(), bytes_.size(),
               *stream_);
    (*stream_).synchronize();
    return copy;
  }

 private:
  static py::tuple as_shape(const py::object& shape) {
    return py::isinstance<py::tuple>(shape) ? py::tuple(shape) : py::make_tuple(shape);
  }
  static std::size_t size_of(const py::tuple& shape) {
    std::size_t size = 1;
    for (const py::handle extent : shape) size *= extent.cast<std::size_t>();
    return size;
  }

  py::tuple shape_;
  py::dtype dtype_;
  cuda::BorrowedStream stream_;
  cuda::DeviceBuffer<std::byte> bytes_;
};

#else

/// There are no devices, hence no instances either.
class DeviceArray {
 public:
  DeviceArray(const py::object&, const py::dtype&, const std::string&) {
    throw DeviceError(cuda_unavailable_reason());
  }
  [[nodiscard]] py::dict interface() const { return {}; }
  [[nodiscard]] py::array to_numpy() const { return {}; }
};

#endif

}  // namespace

void init_device_arrays(py::module_& module) {
  module.def(
      "device_holding",
      [](std::uintptr_t address) {
        return device_holding(reinterpret_cast<const void*>(address)).name();
      },
      py::arg("address"));
  py::class_<DeviceArray>(module, "DeviceArray")
      .def(py::init<const py::object&, py::dtype, const std::string&>(), py::arg("shape"),
           py::arg("dtype"), py::arg("device"))
      .def_property_readonly("__cuda_array_interface__", &DeviceArray::interface)
      .def("to_numpy", &DeviceArray::to_numpy);
}

}  // namespace warpgraph
