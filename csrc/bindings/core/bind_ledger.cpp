#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/hand_over.hpp"

#include <pybind11/stl.h>

#include <limits>

WARPGRAPH_NAMES(warpgraph::Step, {"making", making}, {"launch", launch}, {"none", none});

namespace warpgraph {
namespace {

/// Returns a number of bytes of Python; no machine has as many as the largest number here.
std::size_t at_most_int64(const py::int_& bytes) {
  int overflows = 0;
  const long long known = PyLong_AsLongLongAndOverflow(bytes.ptr(), &overflows);
  return static_cast<std::size_t>(overflows == 0 ? known : std::numeric_limits<long long>::max());
}

void require_in(const Ledger& ledger, const std::string& what, const py::object& bytes,
                const std::string& advice, Device device) {
  begin_step(Step::making);
  ledger.require(what, at_most_int64(bytes), advice, device);
}

void reserve_in(Ledger& ledger, const std::string& what, const py::object& bytes,
                const std::string& advice, Device device) {
  begin_step(Step::making);
  ledger.reserve(what, at_most_int64(bytes), advice, device);
}

void charge_to(Ledger& ledger, std::size_t bytes) {
  begin_step(Step::making);
  ledger.charge(bytes);
}

std::size_t left_in(const Ledger& ledger) {
  begin_step(Step::making);
  return ledger.left();
}

std::size_t left_on_device(const Ledger& ledger, Device device) {
  return left_to_make(ledger, device).left();
}

void run_on_devices(Ledger& ledger, const std::vector<Device>& devices) { ledger.run_on(devices); }

}  // namespace

/// Calls that ask for memory, or what is left of it, are about to make something.
void init_ledger(py::module_& module) {
  py::class_<Ledger>(module, "Ledger")
      .def("run_on", &run_on_devices, py::arg("devices"))
      .def_property_readonly("is_limited", &Ledger::is_limited)
      .def_property_readonly("left", &left_in)
      .def("on_host",
           [](const Ledger& ledger) { return make<Ledger>(ledger.left_on(Device{}).left()); })
      .def("left_on", &left_on_device, py::arg("device"))
      .def("require", &require_in, py::arg("what"), py::arg("bytes"), py::arg("advice"),
           py::arg("device") = Device{})
      .def("reserve", &reserve_in, py::arg("what"), py::arg("bytes"), py::arg("advice"),
           py::arg("device") = Device{})
      .def("charge", &charge_to, py::arg("bytes"));
  module.def("end_calls_before", &end_calls_before, py::arg("step"));
  module.def(
      "ledger", [](std::size_t limit) { return make<Ledger>(limit_of(limit)); },
      py::arg("limit") = 0);
}

}  // namespace warpgraph
