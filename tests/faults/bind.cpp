// _core.fail_allocation and _core.allocated, in builds with WARPGRAPH_FAULTS alone.
#include "allocations.hpp"

#include <pybind11/pybind11.h>

namespace py = pybind11;

namespace warpgraph {
namespace {

faults::Kind kind_of(bool on_device) {
  return on_device ? faults::Kind::device : faults::Kind::host;
}

py::dict allocated(bool on_device, bool forget_peak) {
  const faults::Usage usage = faults::usage(kind_of(on_device), forget_peak);
  py::dict result;
  result["blocks"] = usage.blocks;
  result["bytes"] = usage.bytes;
  result["peak_bytes"] = usage.peak_bytes;
  result["allocations"] = usage.allocations;
  return result;
}

}  // namespace

void init_faults(py::module_& module) {
  module.def(
      "fail_allocation",
      [](std::int64_t k, bool on_device) { return faults::fail(kind_of(on_device), k); },
      py::arg("k"), py::arg("on_device") = false);
  module.def("allocated", &allocated, py::arg("on_device") = false, py::arg("forget_peak") = false);
}

}  // namespace warpgraph
