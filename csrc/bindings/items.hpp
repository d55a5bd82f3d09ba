// Arrays in host memory or on the device that uses them.
#pragma once

#include "bindings/on_device/device_arrays.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph {

/// The items of a NumPy array or of an array in device memory.
template <class T>
struct Items {
  std::span<T> span;
  bool on_device = false;
};

/// Returns the items of an array that is only read. For arrays on devices writable_on() is the only
/// form, whether they are read or written.
template <class T>
Items<const T> readable_items(const py::object& array, Device device) {
  if (is_device_array(array)) return {writable_on<T>(array, device), true};
  return {readable<T>(py::reinterpret_borrow<py::array>(array))};
}

template <class T>
Items<T> writable_items(const py::object& array, Device device) {
  if (is_device_array(array)) return {writable_on<T>(array, device), true};
  auto host = py::reinterpret_borrow<py::array>(array);
  return {writable<T>(host)};
}

/// Distances in host memory: the array itself if it lies there, else a copy of a matrix whose rows
/// are close together.
template <class T>
class HostInput {
 public:
  HostInput(const RowMatrix<T>& rows, [[maybe_unused]] Device device,
            [[maybe_unused]] MemoryBudget budget)
      : data_(rows.data) {
#if defined(WARPGRAPH_HAS_CUDA)
    const auto n = static_cast<std::size_t>(rows.n * rows.n_columns);
    if (!rows.on_device || n == 0) return;  // an empty array needs no driver, which may lack
    budget.require("copying distances to the host for their predecessors", n * sizeof(T),
                   "leave out the predecessors");
    copy_.resize(n);
    data_ = copy_.data();
    const cuda::BorrowedStream stream(device);
    cuda::copy(copy_.data(), rows.data, n, *stream);
    (*stream).synchronize();
#endif
  }
  [[nodiscard]] const T* data() const noexcept { return data_; }

 private:
  HostVector<T> copy_;
  const T* data_;
};

#if defined(WARPGRAPH_HAS_CUDA)
/// Items on the stream's device: the array itself if it lies there, else a copy.
template <class T>
class DeviceInput {
 public:
  DeviceInput(Items<const T> items, const cuda::Stream& stream) : span_(items.span) {
    if (items.on_device) return;
    copy_ = cuda::to_device(items.span, stream);
    span_ = {copy_.data(), copy_.size()};
  }
  [[nodiscard]] std::span<const T> span() const noexcept { return span_; }

 private:
  cuda::DeviceBuffer<T> copy_;
  std::span<const T> span_;
};

template <class T>
DeviceInput<T> device_input(const Items<const T>& items, const cuda::Stream& stream) {
  return {items, stream};
}

/// Memory on the stream's device for results: the array itself if it lies there and its address is
/// a multiple of `alignment`, else a buffer that finish() copies to the array, whose pages are
/// mapped while the thread waits for the device.
template <class T>
class DeviceOutput {
 public:
  DeviceOutput(Items<T> items, const cuda::Stream& stream, std::size_t alignment = alignof(T))
      : array_(items), stream_(stream), span_(items.span), pages_(items.span) {
    const auto address = reinterpret_cast<std::uintptr_t>(items.span.data());
    if (items.on_device && address % alignment == 0) return;
    buffer_ = cuda::DeviceBuffer<T>(items.span.size(), stream);
    span_ = {buffer_.data(), buffer_.size()};
  }
  [[nodiscard]] std::span<T> span() const noexcept { return span_; }
  /// Copies the results to the array, if they are in a buffer, and waits for the stream.
  void finish() const {
    if (span_.data() != array_.span.data()) {
      cuda::copy_out(array_.span.data(), span_.data(), span_.size(), stream_);
    }
    stream_.synchronize();
  }

 private:
  Items<T> array_;
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<T> buffer_;
  std::span<T> span_;
  const cuda::MapWhileWaiting pages_;
};

template <class T>
DeviceOutput<T> device_output(const Items<T>& items, const cuda::Stream& stream,
                              std::size_t alignment = alignof(T)) {
  return {items, stream, alignment};
}
#endif

}  // namespace warpgraph
