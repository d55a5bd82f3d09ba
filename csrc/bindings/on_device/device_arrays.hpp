// Arrays in the memory of CUDA devices, of CuPy and other libraries: objects with the attribute
// __cuda_array_interface__. As with NumPy arrays, nothing is copied, and the Python layer has
// checked shape, layout and dtype before.
#pragma once

#include "bindings/arrays.hpp"
#include "core/device.hpp"

namespace warpgraph {

[[nodiscard]] inline bool is_device_array(const py::object& array) {
  // To look for an attribute that is missing takes longer than the other arguments of a call.
  return !py::isinstance<py::array>(array) && py::hasattr(array, "__cuda_array_interface__");
}

/// Returns the dtype of a NumPy or device array.
[[nodiscard]] inline py::dtype dtype_of(const py::object& array) {
  if (!is_device_array(array)) return py::reinterpret_borrow<py::array>(array).dtype();
  const py::dict interface = array.attr("__cuda_array_interface__");
  return py::dtype(interface["typestr"].cast<std::string>());
}

/// Returns the number of items of an array.
[[nodiscard]] inline std::size_t size_of(const py::tuple& shape) {
  std::size_t size = 1;
  for (const py::handle extent : shape) size *= extent.cast<std::size_t>();
  return size;
}

/// Synchronises with the stream that the interface names, if any: the owner's work on the array is
/// then done, and other streams may use the array.
void synchronize_owner_stream(const py::dict& interface, Device device);

/// Returns the items of an array in the memory of `device`. Throws ValueError if it lies elsewhere.
template <class T>
std::span<T> writable_on(const py::object& array, Device device) {
  const py::dict interface = array.attr("__cuda_array_interface__");
  const std::size_t size = size_of(interface["shape"]);
  const auto address = py::tuple(interface["data"])[0].cast<std::uintptr_t>();
  auto* const data = reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr)
  if (!dtype_of(array).equal(py::dtype::of<T>())) {
    throw py::type_error("the device array has another dtype than the results");
  }
  EXPECTS(address % sizeof(T) == 0, "the array begins at address ", address,
          " of its device, which is no multiple of its items' ", sizeof(T), " bytes; pass a copy");
  if (size != 0) {
    const Device place = device_holding(data);
    EXPECTS(place == device, "the array lies on ", place.name(), ", but the work is done on ",
            device.name());
    synchronize_owner_stream(interface, device);
  }
  return {data, size};
}

/// A matrix with contiguous rows, in host memory or on a device.
template <class T>
struct RowMatrix {
  T* data = nullptr;
  std::int64_t stride = 0;  // items from the start of a row to that of the next
  bool on_device = false;
  std::int64_t n = 0;
  std::int64_t n_columns = 0;
};

/// Returns the layout of `array` without the address. Throws ValueError unless it is a matrix whose
/// rows are contiguous and do not overlap.
RowMatrix<void> layout_of(const py::object& array);

/// Returns the matrix of a NumPy array, or of an array in the memory of `device`.
template <class T>
RowMatrix<T> writable_rows(const py::object& array, Device device) {
  const RowMatrix<void> layout = layout_of(array);
  const auto at = [&](T* data) -> RowMatrix<T> {
    return {data, layout.stride, layout.on_device, layout.n, layout.n_columns};
  };
  if (layout.on_device) return at(writable_on<T>(array, device).data());
  auto rows = py::reinterpret_borrow<py::array>(array);
  if (!py::isinstance<py::array_t<T>>(rows) || !is_aligned(rows)) {
    throw py::type_error("the array has another dtype than the results, or is not aligned");
  }
  return at(static_cast<T*>(rows.mutable_data()));
}

}  // namespace warpgraph
