// wg's own array in the memory of a device: a result that stays there, or the view of an array of
// another library. Each library that knows __cuda_array_interface__ or DLPack reads it in place.
#pragma once

#include "bindings/arrays.hpp"
#include "bindings/hand_over.hpp"
#include "core/device.hpp"

#include <memory>
#include <utility>
#include <vector>

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/memory/buffer.hpp"
#endif

namespace warpgraph {

class DeviceArray {
 public:
  using Extents = std::vector<py::ssize_t>;

  /// `strides` are in bytes; without them the array is C-contiguous.
  DeviceArray(std::shared_ptr<void> memory, void* data, Extents shape, py::dtype dtype,
              Device device, Extents strides = {}, bool is_read_only = false);

  /// Returns the same dictionary each time: a call asks for it several times, and making one takes
  /// a microsecond.
  [[nodiscard]] const py::dict& interface() const noexcept { return interface_; }
  [[nodiscard]] const std::shared_ptr<void>& memory() const noexcept { return memory_; }
  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] const Extents& shape() const noexcept { return shape_; }
  /// Returns the strides in bytes, also of a C-contiguous array.
  [[nodiscard]] const Extents& strides() const noexcept { return strides_; }
  [[nodiscard]] const py::dtype& dtype() const noexcept { return dtype_; }
  [[nodiscard]] Device device() const noexcept { return device_; }
  [[nodiscard]] bool is_read_only() const noexcept { return is_read_only_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Returns the first extent. Throws TypeError without one.
  [[nodiscard]] py::ssize_t length() const;
  [[nodiscard]] std::string text() const;

  /// Copies a C-contiguous array to the host.
  [[nodiscard]] py::array to_numpy() const;
  /// Copies values to a C-contiguous array.
  void set(const py::array& values);

 private:
  void require_contiguous() const;

  std::shared_ptr<void> memory_;
  void* data_;
  Extents shape_;
  Extents strides_;
  py::dtype dtype_;
  Device device_;
  bool is_read_only_;
  bool is_contiguous_;
  std::size_t bytes_;
  py::dict interface_;
};

/// Copies the bytes of an array on a device, whose owner's work on it is done, to a new NumPy array
/// of the same shape. It must be C-contiguous.
py::array numpy_copy(const void* data, const DeviceArray::Extents& shape, const py::dtype& dtype,
                     Device device);

#if defined(WARPGRAPH_HAS_CUDA)
/// Waits for all work on a device, as cudaFree does: other libraries may have queued work on memory
/// that they no longer hold.
void wait_for_readers(Device device) noexcept;

/// Makes an owner of device memory that outlives calls, which it frees after all work there.
template <class T>
std::shared_ptr<void> share(cuda::DeviceBuffer<T>&& items, Device device) {
  const auto free = [device](cuda::DeviceBuffer<T>* buffer) noexcept {
    wait_for_readers(device);
    delete buffer;
  };
  return {std::make_unique<cuda::DeviceBuffer<T>>(std::move(items)).release(), free};
}

/// Moves a buffer, whose items are there already, into an array of Python, without a copy. Make the
/// buffer with a stream of Lifetime::kept.
template <class T>
Owned<DeviceArray> to_device_array(cuda::DeviceBuffer<T>&& items, DeviceArray::Extents shape,
                                   Device device) {
  T* const data = items.data();
  return hand_over(std::make_unique<DeviceArray>(share(std::move(items), device), data,
                                                 std::move(shape), py::dtype::of<T>(), device));
}
#endif

}  // namespace warpgraph
