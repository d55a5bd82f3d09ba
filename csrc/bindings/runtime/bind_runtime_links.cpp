// Links of the runtime, and segments of NumPy arrays that travel over them.
#include "bindings/arrays.hpp"
#include "bindings/hand_over.hpp"
#include "bindings/runtime/handles.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

using runtime::EventFuture, runtime::PendingSegment, runtime::Segment;

Owned<EventFuture> send(const RuntimeLink& on, const py::array& values, std::int64_t metadata,
                        std::optional<EventFuture> ready) {
  Segment segment;
  segment.data = static_cast<const std::byte*>(values.data());
  segment.bytes = static_cast<std::size_t>(values.nbytes());
  segment.item_bytes = static_cast<std::size_t>(values.itemsize());
  segment.item_type = values.dtype().num();  // NumPy's number of the dtype
  segment.metadata = metadata;
  return hand_over(std::make_unique<EventFuture>(
      on.link->send(segment, ready.value_or(EventFuture()), owner_of(values))));
}

std::optional<Owned<RuntimePendingSegment>> receive(const RuntimeLink& from) {
  std::optional<PendingSegment> pending;
  {
    const GilReleased released;
    pending = from.link->receive();
  }
  if (!pending) return std::nullopt;
  return hand_over(std::make_unique<RuntimePendingSegment>(
      RuntimePendingSegment{from.context, std::move(*pending)}));
}

py::array wait_for_array(RuntimePendingSegment& segment) {
  const Segment& description = segment.pending.description();
  const auto n = static_cast<py::ssize_t>(description.bytes / description.item_bytes);
  py::array values(py::dtype(static_cast<int>(description.item_type)), n);
  auto* const data = static_cast<std::byte*>(values.mutable_data());
  const GilReleased released;
  segment.pending.wait_into(data);
  return values;
}

void wait_for_event(const EventFuture& future) {
  const GilReleased released;
  future.wait();
}

Tuple<int, std::size_t, std::int64_t> describe(const RuntimePendingSegment& received) {
  const Segment& segment = received.pending.description();
  return py::make_tuple(segment.source.id, segment.offset / segment.item_bytes, segment.metadata);
}

}  // namespace

void init_runtime_links(py::module_& module) {
  py::class_<EventFuture>(module, "RuntimeEventFuture")
      .def("is_complete", &EventFuture::is_complete)
      .def("wait", &wait_for_event);
  py::class_<RuntimePendingSegment>(module, "RuntimePendingSegment")
      .def("describe", &describe)
      .def("wait", &wait_for_array);
  py::class_<RuntimeLink>(module, "RuntimeLink")
      .def("send", &send, py::arg("values"), py::arg("metadata"), py::arg("ready"))
      .def("shutdown", [](const RuntimeLink& of) { of.link->shutdown(); })
      .def("receive", &receive);
}

}  // namespace warpgraph
