// Arrays of NumPy and of devices as segments of the runtime, and back.
#pragma once

#include "bindings/call.hpp"
#include "bindings/on_device/device_arrays.hpp"
#include "bindings/runtime/handles.hpp"

namespace warpgraph {

using runtime::EventFuture, runtime::Segment, runtime::StreamRef;

/// Returns the stream of the library that owns a CUDA array, on which it is ready to be read. Null
/// is the default stream, which the protocol calls 1.
inline StreamRef owner_stream(const py::dict& interface, Device device) {
  const py::object stream =
      interface.contains("stream") ? py::object(interface["stream"]) : py::none();
  if (stream.is_none()) return {device, nullptr};
  const auto handle = stream.cast<std::uintptr_t>();
  return {device, handle == 1 ? nullptr : reinterpret_cast<CUstream_st*>(handle)};  // NOLINT
}

inline Segment segment_of_host_array(const py::array& values) {
  Segment segment;
  segment.data = static_cast<const std::byte*>(values.data());
  segment.bytes = static_cast<std::size_t>(values.nbytes());
  return segment;
}

/// Makes a segment of a device array; `ready` becomes the event after which the owner's work on it
/// is done.
inline Segment segment_of_device_array(const py::dict& interface, std::size_t item_bytes,
                                       std::optional<EventFuture>& ready) {
  Segment segment;
  segment.bytes = size_of(py::tuple(interface["shape"])) * item_bytes;
  const auto address = py::tuple(interface["data"])[0].cast<std::uintptr_t>();
  segment.data = reinterpret_cast<const std::byte*>(address);  // NOLINT(performance-*)
  if (segment.bytes == 0) return segment;
  segment.device = device_holding(segment.data);
  const StreamRef stream = owner_stream(interface, segment.device);
  // The thread that records the event may need the GIL.
  if (ready) wait_released([&] { ready->wait(stream); });
  ready = EventFuture(runtime::point_on(stream));
  return segment;
}

inline Segment segment_of_array(const py::object& values, std::optional<EventFuture>& ready) {
  const py::dtype dtype = dtype_of(values);
  const auto item_bytes = static_cast<std::size_t>(dtype.itemsize());
  Segment segment =
      is_device_array(values)
          ? segment_of_device_array(values.attr("__cuda_array_interface__"), item_bytes, ready)
          : segment_of_host_array(py::reinterpret_borrow<py::array>(values));
  segment.item_bytes = item_bytes;
  segment.item_type = dtype.num();  // NumPy's number of the dtype
  return segment;
}

inline py::ssize_t n_items(const RuntimePendingSegment& received) {
  const Segment& segment = received.pending.description();
  return static_cast<py::ssize_t>(segment.bytes / segment.item_bytes);
}

inline py::dtype items_dtype(const RuntimePendingSegment& received) {
  return py::dtype(static_cast<int>(received.pending.description().item_type));
}

/// Waits for the segment and copies its items, which are of this dtype.
inline py::array wait_for_array(runtime::PendingSegment& pending, const py::dtype& dtype) {
  const Segment& segment = pending.description();
  py::array values(dtype, static_cast<py::ssize_t>(segment.bytes / segment.item_bytes));
  auto* const data = static_cast<std::byte*>(values.mutable_data());
  wait_released([&] { pending.wait_into(data); });
  return values;
}

/// Waits for a segment in an array on the receiver's device; the stream of the array's owner has
/// the data.
inline void wait_into_device_array(RuntimePendingSegment& segment, const py::object& array) {
  const py::dict interface = array.attr("__cuda_array_interface__");
  const auto address = py::tuple(interface["data"])[0].cast<std::uintptr_t>();
  auto* const data = reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
  const StreamRef stream = owner_stream(interface, device_holding(data));
  wait_released([&] { segment.pending.wait_into(data, stream); });
}

inline void forward(RuntimePendingSegment& segment, const RuntimeLink& next) {
  wait_released([&] {
    segment.pending.forward(*next.link);
    segment.pending.release();
  });
}

}  // namespace warpgraph
