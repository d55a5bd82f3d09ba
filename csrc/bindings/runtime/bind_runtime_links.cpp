// Links of the runtime, and segments of NumPy arrays that travel over them.
#include "bindings/hand_over.hpp"
#include "bindings/runtime/segment_arrays.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

using runtime::EventFuture, runtime::PendingSegment, runtime::Segment;

Owned<EventFuture> send(const RuntimeLink& on, const py::object& values, std::int64_t metadata,
                        std::optional<EventFuture> ready) {
  Segment segment = segment_of_array(values, ready);
  segment.metadata = metadata;
  // Nothing is sent if there is no memory for its future.
  auto made = std::make_unique<EventFuture>();
  EventFuture& delivered = *made;
  Owned<EventFuture> object = hand_over(std::move(made));
  delivered = on.link->send(segment, ready.value_or(EventFuture()), owner_of(values));
  return object;
}

std::optional<Owned<RuntimePendingSegment>> receive(const RuntimeLink& from) {
  std::optional<PendingSegment> pending = wait_released([&] { return from.link->receive(); });
  if (!pending) return std::nullopt;
  return hand_over(std::make_unique<RuntimePendingSegment>(
      RuntimePendingSegment{from.context, std::move(*pending)}));
}

/// Returns the next segment if it has arrived. Does not wait. Between batches of a worklist, this
/// is also where a worker leaves a run that has failed.
std::optional<Owned<RuntimePendingSegment>> try_receive(const RuntimeLink& from) {
  runtime::check_thread();
  std::optional<PendingSegment> pending = from.link->try_receive();
  if (!pending) return std::nullopt;
  return hand_over(std::make_unique<RuntimePendingSegment>(
      RuntimePendingSegment{from.context, std::move(*pending)}));
}

void wait_for_event(const EventFuture& future) {
  wait_released([&] { future.wait(); });
}

Tuple<int, std::size_t, std::int64_t> describe_segment(const RuntimePendingSegment& received) {
  const Segment& segment = received.pending.description();
  return py::make_tuple(segment.source.id, segment.offset / segment.item_bytes, segment.metadata);
}

}  // namespace

void init_runtime_links(py::module_& module) {
  py::class_<EventFuture>(module, "RuntimeEventFuture")
      .def("is_complete", &EventFuture::is_complete)
      .def("wait", &wait_for_event);
  // Before the methods of the segment, whose signatures name it.
  py::class_<RuntimeLink> link(module, "RuntimeLink");
  py::class_<RuntimePendingSegment>(module, "RuntimePendingSegment")
      .def("describe", &describe_segment)
      .def("n_items", &n_items)
      .def("dtype", &items_dtype)
      .def("wait",
           [](RuntimePendingSegment& of) { return wait_for_array(of.pending, items_dtype(of)); })
      .def("wait_into", &wait_into_device_array, py::arg("array"))
      .def("forward", &forward, py::arg("next"));
  link.def("send", &send, py::arg("values"), py::arg("metadata"), py::arg("ready"))
      .def_property_readonly("n_buffers",
                             [](const RuntimeLink& of) { return of.link->n_buffers(); })
      .def("shutdown", [](const RuntimeLink& of) { of.link->shutdown(); })
      .def("receive", &receive)
      .def("try_receive", &try_receive);
}

}  // namespace warpgraph
