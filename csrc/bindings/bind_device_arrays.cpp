// What device_arrays.hpp declares, and wg's own array in device memory, for use without CuPy.
#include "bindings/call.hpp"
#include "bindings/device_arrays.hpp"
#include "bindings/graph_handle.hpp"
#include "bindings/hand_over.hpp"

#include <pybind11/stl.h>

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/stream_pool.hpp"
#include "graph/points/device_points.hpp"
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

  void set(const py::array& values) {
    EXPECTS(values.dtype().equal(dtype_) &&
                values.nbytes() == static_cast<py::ssize_t>(bytes_.size()) &&
                (values.flags() & py::array::c_style) != 0,
            "the values must have the size and the dtype of the array, and be C-contiguous");
    cuda::copy(bytes_.data(), static_cast<const std::byte*>(values.data()), bytes_.size(),
               *stream_);
    (*stream_).synchronize();
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

/// f(points, stream) for points of float or double in the memory of the device.
template <class F>
auto with_points(const py::object& array, const std::string& device_name, F&& f) {
  const Device device = Device::parse(device_name);
  const RowMatrix<void> layout = layout_of(array);
  const auto call = [&]<class T>(T) {
    const PointsView<T> points{writable_on<T>(array, device).data(),
                               static_cast<vertex_t>(layout.n), layout.n_columns};
    return run_released(py::none(), [&] { return f(points, *cuda::BorrowedStream(device)); });
  };
  return dtype_of(array).equal(py::dtype::of<float>()) ? call(float{}) : call(double{});
}

std::int64_t find_not_finite(const py::object& array, const std::string& device) {
  return with_points(array, device, [](const auto& points, const cuda::Stream& stream) {
    return first_non_finite(points, stream);
  });
}

void copy_rows(const py::object& array, const py::array& rows, py::array taken,
               const std::string& device) {
  const std::span<const std::int64_t> wanted = readable<std::int64_t>(rows);
  void* const to = taken.mutable_data();
  const auto size = static_cast<std::size_t>(taken.size());
  with_points(array, device, [&]<class T>(const PointsView<T>& points, const cuda::Stream& stream) {
    gather_rows(points, wanted, std::span<T>(static_cast<T*>(to), size), stream);
  });
}

#else

std::int64_t find_not_finite(const py::object&, const std::string&) {
  throw DeviceError(cuda_unavailable_reason());
}
void copy_rows(const py::object&, const py::array&, const py::array&, const std::string&) {
  throw DeviceError(cuda_unavailable_reason());
}

/// Never instantiated in a CPU build.
class DeviceArray {
 public:
  DeviceArray(const py::object&, const py::dtype&, const std::string&) {
    throw DeviceError(cuda_unavailable_reason());
  }
  [[nodiscard]] py::dict interface() const { return {}; }
  [[nodiscard]] py::array to_numpy() const { return {}; }
  void set(const py::array&) {}
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
      .def_property_readonly("__cuda_array_interface__", &DeviceArray::interface)
      .def("to_numpy", &DeviceArray::to_numpy)
      .def("set", &DeviceArray::set, py::arg("values"));
  module.def("device_array", &make<DeviceArray, py::object, py::dtype, std::string>,
             py::arg("shape"), py::arg("dtype"), py::arg("device"));
  module.def("first_not_finite", &find_not_finite, py::arg("points"), py::arg("device"));
  module.def("take_rows", &copy_rows, py::arg("points"), py::arg("rows"), py::arg("taken"),
             py::arg("device"));
}

}  // namespace warpgraph
