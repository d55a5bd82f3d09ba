// Links of the runtime, and segments of NumPy arrays that travel over them.
#include "bindings/arrays.hpp"
#include "bindings/hand_over.hpp"
#include "bindings/shutdown.hpp"
#include "runtime/context.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

using runtime::EventFuture, runtime::Link, runtime::PendingSegment, runtime::Segment;

/// Keeps a Python object on threads without the GIL.
std::shared_ptr<const void> owner_of(py::object object) {
  const auto release = [](py::object* kept) {
    if (interpreter_ends()) return;  // it is not freed: the process ends
    const py::gil_scoped_acquire gil;
    delete kept;
  };
  return {new py::object(std::move(object)), release};
}

EventFuture send(Link& link, const py::array& values, std::int64_t metadata,
                 std::optional<EventFuture> ready) {
  Segment segment;
  segment.data = static_cast<const std::byte*>(values.data());
  segment.bytes = static_cast<std::size_t>(values.nbytes());
  segment.item_bytes = static_cast<std::size_t>(values.itemsize());
  segment.item_type = values.dtype().num();  // NumPy's number of the dtype
  segment.metadata = metadata;
  return link.send(segment, ready.value_or(EventFuture()), owner_of(values));
}

std::optional<Owned<PendingSegment>> receive(Link& link) {
  std::optional<PendingSegment> pending;
  {
    const GilReleased released;
    pending = link.receive();
  }
  if (!pending) return std::nullopt;
  return hand_over(std::make_unique<PendingSegment>(std::move(*pending)));
}

py::array wait_for_array(PendingSegment& pending) {
  const Segment& segment = pending.description();
  const auto n = static_cast<py::ssize_t>(segment.bytes / segment.item_bytes);
  py::array values(py::dtype(static_cast<int>(segment.item_type)), n);
  auto* const data = static_cast<std::byte*>(values.mutable_data());
  const GilReleased released;
  pending.wait_into(data);
  return values;
}

void wait_for_event(const EventFuture& future) {
  const GilReleased released;
  future.wait();
}

Tuple<int, std::size_t, std::int64_t> describe(const PendingSegment& pending) {
  const Segment& segment = pending.description();
  return py::make_tuple(segment.source.id, segment.offset / segment.item_bytes, segment.metadata);
}

}  // namespace

void init_runtime_links(py::module_& module) {
  py::class_<EventFuture>(module, "RuntimeEventFuture")
      .def("is_recorded", &EventFuture::is_recorded)
      .def("wait", &wait_for_event);
  py::class_<PendingSegment>(module, "RuntimePendingSegment")
      .def("describe", &describe)
      .def("wait", &wait_for_array);
  py::class_<Link>(module, "RuntimeLink")
      .def("send", &send, py::arg("values"), py::arg("metadata"), py::arg("ready"))
      .def("shutdown", &Link::shutdown)
      .def("receive", &receive, py::keep_alive<0, 1>());
}

}  // namespace warpgraph
