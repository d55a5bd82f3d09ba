// Plans of calls for any graph and machine.
#include "bindings/device.hpp"
#include "bindings/hand_over.hpp"
#include "bindings/plan/named_facts.hpp"
#include "bindings/plan/request.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

using plan::Devices;
using plan::Plan;

/// Plans a call, as dicts describe the graph and the machine.
Owned<Plan> plan_for(const std::string& algorithm, const py::dict& facts, const py::dtype& dtype,
                     const py::dict& machine, Devices::Wanted wanted,
                     const std::vector<Device>& named, const py::dict& request) {
  const NamedMachine there(machine);
  return hand_over(std::make_unique<Plan>(make_plan(
      algorithm, named_facts(facts), request_of(request, dtype), {wanted, named, &there})));
}

}  // namespace

void init_named_plan(py::module_& module) {
  module.def("plan_for", &plan_for, py::arg("algorithm"), py::arg("facts"), py::arg("dtype"),
             py::arg("machine"), py::arg("wanted"), py::arg("named"), py::arg("request"));
}

}  // namespace warpgraph
