// Links and segments as Python has them: they keep the context, whichever of them the garbage
// collector frees first. (pybind11's keep_alive ends the process if memory for its list is
// lacking.)
#pragma once

#include "bindings/shutdown.hpp"
#include "runtime/context.hpp"

#include <pybind11/pybind11.h>

#include <memory>

namespace warpgraph {

namespace py = pybind11;

struct RuntimeLink {
  std::shared_ptr<runtime::Context> context;
  runtime::Link* link;
};

struct RuntimePendingSegment {
  std::shared_ptr<runtime::Context> context;  // destroyed after the segment
  runtime::PendingSegment pending;
};

/// Keeps a Python object on threads without the GIL.
inline std::shared_ptr<const void> owner_of(py::object object) {
  const auto release = [](py::object* kept) {
    if (interpreter_ends()) return;  // it is not freed: the process ends
    const py::gil_scoped_acquire gil;
    delete kept;
  };
  return {new py::object(std::move(object)), release};
}

}  // namespace warpgraph
