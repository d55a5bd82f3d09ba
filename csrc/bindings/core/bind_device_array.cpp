// wg's own array in device memory, for use without CuPy, and the exchange with other libraries.
#include "bindings/core/device_array.hpp"
#include "bindings/core/dlpack.hpp"
#include "bindings/device.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

/// Makes an array of uninitialised memory.
Owned<DeviceArray> new_device_array(const py::object& shape, [[maybe_unused]] py::dtype dtype,
                                    [[maybe_unused]] Device device) {
  using Extents = DeviceArray::Extents;
  const bool is_tuple = py::isinstance<py::tuple>(shape);
  Extents extents = is_tuple ? shape.cast<Extents>() : Extents{shape.cast<py::ssize_t>()};
#if defined(WARPGRAPH_HAS_CUDA)
  auto n_bytes = static_cast<std::size_t>(dtype.itemsize());
  for (const py::ssize_t extent : extents) n_bytes *= static_cast<std::size_t>(extent);
  const cuda::BorrowedStream stream(device, cuda::Lifetime::kept);
  cuda::DeviceBuffer<std::byte> bytes(n_bytes, *stream);
  (*stream).synchronize();
  std::byte* const data = bytes.data();
  return hand_over(std::make_unique<DeviceArray>(share(std::move(bytes), device), data,
                                                 std::move(extents), std::move(dtype), device));
#else
  throw DeviceError(cuda_unavailable_reason());
#endif
}

py::object numpy_of(const DeviceArray& array, const py::object& dtype, const py::object& copy) {
  if (copy.is(py::bool_(false))) {
    throw py::value_error("an array on a device becomes a NumPy array by a copy only");
  }
  const py::array whole = array.to_numpy();
  return dtype.is_none() ? py::object(whole) : whole.attr("astype")(dtype);
}

}  // namespace

void init_device_array(py::module_& module) {
  const py::object none = py::none();
  py::class_<DeviceArray>(module, "DeviceArray")
      .def_property_readonly("__cuda_array_interface__", &DeviceArray::interface)
      .def_property_readonly(
          "shape", [](const DeviceArray& array) { return py::object(array.interface()["shape"]); })
      .def_property_readonly("dtype", &DeviceArray::dtype)
      .def_property_readonly("device", &DeviceArray::device)
      .def_property_readonly("nbytes", &DeviceArray::bytes)
      .def("__len__", &DeviceArray::length)
      .def("__repr__", &DeviceArray::text)
      .def("__array__", &numpy_of, py::arg("dtype") = none, py::arg("copy") = none)
      .def("__dlpack__", &dlpack::give, py::kw_only(), py::arg("stream") = none,
           py::arg("max_version") = none, py::arg("dl_device") = none, py::arg("copy") = none)
      .def("__dlpack_device__",
           [](const DeviceArray& array) { return dlpack::device_numbers(array.device()); })
      .def("to_numpy", &DeviceArray::to_numpy)
      .def("set", &DeviceArray::set, py::arg("values"));
  module.def("device_array", &new_device_array, py::arg("shape"), py::arg("dtype"),
             py::arg("device"));
  module.def("take_array", &dlpack::take, py::arg("array"));
}

}  // namespace warpgraph
