#include "bindings/core/device_array.hpp"

#include "bindings/call.hpp"
#include "bindings/core/new_array.hpp"
#include "core/error.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/stream_pool.hpp"

#include <optional>
#endif

namespace warpgraph {
namespace {

std::size_t bytes_of_items(const DeviceArray::Extents& shape, const py::dtype& dtype) {
  auto bytes = static_cast<std::size_t>(dtype.itemsize());
  for (const py::ssize_t extent : shape) bytes *= static_cast<std::size_t>(extent);
  return bytes;
}

DeviceArray::Extents strides_in_order(const DeviceArray::Extents& shape, const py::dtype& dtype) {
  DeviceArray::Extents strides(shape.size(), dtype.itemsize());
  for (std::size_t i = shape.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * shape[i - 1];
  return strides;
}

/// Returns whether items lie in order without gaps: the stride of an extent of 1 does not matter.
bool are_in_order(const DeviceArray::Extents& shape, const DeviceArray::Extents& strides,
                  const DeviceArray::Extents& in_order) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1 && strides[i] != in_order[i]) return false;
  }
  return true;
}

py::tuple as_tuple(const DeviceArray::Extents& extents) {
  py::tuple items(extents.size());
  for (std::size_t i = 0; i < extents.size(); ++i) items[i] = extents[i];
  return items;
}

}  // namespace

DeviceArray::DeviceArray(std::shared_ptr<void> memory, void* data, Extents shape, py::dtype dtype,
                         Device device, Extents strides, bool is_read_only)
    : memory_(std::move(memory)),
      data_(data),
      shape_(std::move(shape)),
      dtype_(std::move(dtype)),
      device_(device),
      is_read_only_(is_read_only),
      bytes_(bytes_of_items(shape_, dtype_)) {
  Extents in_order = strides_in_order(shape_, dtype_);
  is_contiguous_ = bytes_ == 0 || strides.empty() || are_in_order(shape_, strides, in_order);
  strides_ = is_contiguous_ ? std::move(in_order) : std::move(strides);
  interface_["shape"] = as_tuple(shape_);
  interface_["typestr"] = dtype_.attr("str");
  interface_["data"] = py::make_tuple(reinterpret_cast<std::uintptr_t>(data_), is_read_only_);
  if (!is_contiguous_) interface_["strides"] = as_tuple(strides_);
  interface_["version"] = 3;
}

py::ssize_t DeviceArray::length() const {
  if (shape_.empty()) throw py::type_error("an array without dimensions has no length");
  return shape_.front();
}

std::string DeviceArray::text() const {
  const auto text_of = [](const py::handle& part) { return py::str(part).cast<std::string>(); };
  return concat("<array on ", device_.name(), ", shape ", text_of(interface_["shape"]), ", dtype ",
                text_of(dtype_), ">");
}

void DeviceArray::require_contiguous() const {
  EXPECTS(is_contiguous_, "an array that is copied must be C-contiguous, but its strides are ",
          py::str(as_tuple(strides_)).cast<std::string>(), " bytes");
}

py::array DeviceArray::to_numpy() const {
  require_contiguous();
  return numpy_copy(data_, shape_, dtype_, device_);
}

#if defined(WARPGRAPH_HAS_CUDA)

void wait_for_readers(Device device) noexcept {
  // What the device runs may wait for the GIL.
  std::optional<GilReleased> released;
  if (PyGILState_Check() != 0) released.emplace();
  const cuda::DeviceGuard guard(device, std::nothrow);
  cudaDeviceSynchronize();
}

py::array numpy_copy(const void* data, const DeviceArray::Extents& shape, const py::dtype& dtype,
                     Device device) {
  py::array copy = new_array(shape, dtype);
  auto* const to = static_cast<std::byte*>(copy.mutable_data());
  const auto* const from = static_cast<const std::byte*>(data);
  const auto n_bytes = static_cast<std::size_t>(copy.nbytes());
  if (n_bytes == 0) return copy;
  run_released([&] { cuda::copy_out(to, from, n_bytes, *cuda::BorrowedStream(device)); });
  return copy;
}

void DeviceArray::set(const py::array& values) {
  require_contiguous();
  EXPECTS(values.dtype().equal(dtype_) && std::cmp_equal(values.nbytes(), bytes_) &&
              (values.flags() & py::array::c_style) != 0,
          "the values must have the size and the dtype of the array, and be C-contiguous");
  if (bytes_ == 0) return;
  const cuda::BorrowedStream stream(device_);
  cuda::copy(static_cast<std::byte*>(data_), static_cast<const std::byte*>(values.data()), bytes_,
             *stream);
  (*stream).synchronize();
}

#else

py::array numpy_copy(const void*, const DeviceArray::Extents&, const py::dtype&, Device) {
  throw DeviceError(cuda_unavailable_reason());
}

void DeviceArray::set(const py::array&) { throw DeviceError(cuda_unavailable_reason()); }

#endif

}  // namespace warpgraph
