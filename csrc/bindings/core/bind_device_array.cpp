// wg's own array in device memory, for use without CuPy.
#include "bindings/device.hpp"
#include "bindings/device_arrays.hpp"
#include "bindings/hand_over.hpp"

#include <pybind11/stl.h>

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/memory/buffer.hpp"
#endif

namespace warpgraph {
namespace {

#if defined(WARPGRAPH_HAS_CUDA)
/// Uninitialised memory on a device, for tests and benchmarks.
class DeviceArray {
 public:
  DeviceArray(const py::object& shape, py::dtype dtype, Device device)
      : shape_(py::isinstance<py::tuple>(shape) ? py::tuple(shape) : py::make_tuple(shape)),
        dtype_(std::move(dtype)),
        stream_(device, cuda::Lifetime::kept),
        bytes_(size_of(shape_) * static_cast<std::size_t>(dtype_.itemsize()), *stream_) {
    (*stream_).synchronize();
    interface_["shape"] = shape_;
    interface_["typestr"] = dtype_.attr("str");
    interface_["data"] = py::make_tuple(reinterpret_cast<std::uintptr_t>(bytes_.data()), false);
    interface_["version"] = 3;
  }

  /// Returns the same dictionary each time: a call asks for it several times, and making one takes
  /// a microsecond.
  [[nodiscard]] const py::dict& interface() const { return interface_; }
  [[nodiscard]] py::array to_numpy() const {
    py::array copy(dtype_, shape_.cast<std::vector<py::ssize_t>>());
    cuda::copy(static_cast<std::byte*>(copy.mutable_data()), bytes_.data(), bytes_.size(),
               *stream_);
    (*stream_).synchronize();
    return copy;
  }
  void set(const py::array& values) {
    EXPECTS(values.dtype().equal(dtype_) && std::cmp_equal(values.nbytes(), bytes_.size()) &&
                (values.flags() & py::array::c_style) != 0,
            "the values must have the size and the dtype of the array, and be C-contiguous");
    cuda::copy(bytes_.data(), static_cast<const std::byte*>(values.data()), bytes_.size(),
               *stream_);
    (*stream_).synchronize();
  }

 private:
  py::tuple shape_;
  py::dtype dtype_;
  cuda::BorrowedStream stream_;
  cuda::DeviceBuffer<std::byte> bytes_;
  py::dict interface_;
};
#else
/// Class of a CPU build, of which no object is ever made.
struct DeviceArray {
  DeviceArray(const py::object&, const py::dtype&, Device) {
    throw DeviceError(cuda_unavailable_reason());
  }
  [[nodiscard]] py::dict interface() const { return {}; }
  [[nodiscard]] py::array to_numpy() const { return {}; }
  void set(const py::array&) {}
};
#endif

}  // namespace

void init_device_array(py::module_& module) {
  py::class_<DeviceArray>(module, "DeviceArray")
      .def_property_readonly("__cuda_array_interface__", &DeviceArray::interface)
      .def("to_numpy", &DeviceArray::to_numpy)
      .def("set", &DeviceArray::set, py::arg("values"));
  module.def("device_array", &make<DeviceArray, py::object, py::dtype, Device>, py::arg("shape"),
             py::arg("dtype"), py::arg("device"));
}

}  // namespace warpgraph
