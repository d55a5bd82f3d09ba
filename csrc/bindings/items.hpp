// Arrays that may lie in host memory or on the device that works on them.
#pragma once

#include "bindings/device_arrays.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/memory/staging.hpp"
#endif

namespace warpgraph {

/// The items of a NumPy array, or of one that lies on a device.
template <class T>
struct Items {
  std::span<T> span;
  bool on_device = false;
};

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

#if defined(WARPGRAPH_HAS_CUDA)
/// Items on the stream's device: those that lie there, or a copy.
template <class T>
class ReadOnDevice {
 public:
  ReadOnDevice(Items<const T> items, const cuda::Stream& stream) : span_(items.span) {
    if (items.on_device) return;
    copy_ = cuda::to_device(items.span, stream);
    span_ = {copy_.data(), copy_.size()};
  }
  [[nodiscard]] std::span<const T> span() const noexcept { return span_; }

 private:
  cuda::DeviceBuffer<T> copy_;
  std::span<const T> span_;
};

/// Room on the stream's device for items that finish() puts where they are wanted: that place
/// itself, if it is on the device and its address a multiple of `alignment`.
template <class T>
class WrittenOnDevice {
 public:
  WrittenOnDevice(Items<T> items, const cuda::Stream& stream, std::size_t alignment = alignof(T))
      : wanted_(items), stream_(stream), span_(items.span) {
    const auto address = reinterpret_cast<std::uintptr_t>(items.span.data());
    if (items.on_device && address % alignment == 0) return;
    room_ = cuda::DeviceBuffer<T>(items.span.size(), stream);
    span_ = {room_.data(), room_.size()};
  }
  [[nodiscard]] std::span<T> span() const noexcept { return span_; }
  /// Waits for the stream.
  void finish() const {
    cuda::CopyOut out(stream_);
    if (span_.data() != wanted_.span.data()) {
      out.copy(wanted_.span.data(), span_.data(), span_.size());
    }
    out.finish();
  }

 private:
  Items<T> wanted_;
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<T> room_;
  std::span<T> span_;
};
#endif

}  // namespace warpgraph
