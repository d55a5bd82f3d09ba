// Plans: which method takes a call, and on which devices.
#include "bindings/device.hpp"
#include "bindings/hand_over.hpp"
#include "bindings/plan/named_facts.hpp"
#include "bindings/plan/request.hpp"
#include "warpgraph/planning/plan_of_call.hpp"
#include "warpgraph/planning/this_machine.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

using plan::Devices;
using plan::Plan;
using plan::Request;

/// Plans a call on this machine. `graph` is None for points, and for any other input that is no
/// graph; `known` then has the sizes. `form` is the graph that is searched; None: that with all
/// edges both ways, which must be made. `known` are facts that Python holds; of facts that
/// take time to find, it has functions, which the plan calls only if it needs them.
/// `request` has the members that differ from defaults. The ledger is told where the call runs.
Owned<Plan> plan_here(const std::string& algorithm, std::optional<Graph*> graph,
                      std::optional<Graph*> form, const py::dict& known, const py::dtype& dtype,
                      Devices::Wanted wanted, const std::vector<Device>& named,
                      const py::object& gpu, const py::object& gpus, Ledger& ledger,
                      const py::dict& request) {
  Request asked = request_of(request, dtype);
  asked.budget = ledger.budget();
  const ThisMachine machine([&] { return gpu().cast<std::optional<Device>>(); },
                            [&] { return gpus().cast<std::vector<Device>>(); });
  const ClientFacts kept = client_facts(known);
  const plan::Facts sizes = graph ? plan::Facts{} : sizes_of(known);
  return hand_over(plan_of_call({algorithm, asked, {wanted, named, &machine}, sizes, kept},
                                graph.value_or(nullptr), form.value_or(nullptr), ledger));
}

/// Returns the method of the searches of a plan for all pairs that searches from all vertices, and
/// the method that takes these where the first fails.
py::typing::Tuple<std::string_view, std::string_view> search_of(const Plan& plan) {
  return py::make_tuple(plan.search, plan.search_otherwise);
}

/// Returns the ways of the pieces of a call: method, whether on a GPU, first pieces, seconds once
/// and of a piece.
py::typing::List<py::tuple> ways_of(const Plan& plan) {
  py::list ways;
  for (const plan::Way& way : plan.ways) {
    ways.append(py::make_tuple(way.method, way.device.is_cuda(), way.n_first, way.once, way.each));
  }
  return ways;
}

}  // namespace

void init_plan(py::module_& module) {
  py::class_<Plan>(module, "Plan")
      .def_readonly("method", &Plan::method)
      .def_readonly("otherwise", &Plan::otherwise)
      .def_property_readonly("search", &search_of)
      .def_property_readonly("ways", &ways_of)
      .def_readonly("devices", &Plan::devices)
      .def_readonly("has_negative", &Plan::has_negative)
      .def_readonly("is_mirrored", &Plan::is_mirrored)
      .def_readonly("uses_transposed", &Plan::uses_transposed)
      .def_readonly("orders_by_degree", &Plan::orders_by_degree)
      .def_readonly("accelerates", &Plan::accelerates)
      .def_readonly("max_visits", &Plan::max_visits)
      .def_property_readonly("learns", [](const Plan& plan) { return plan.kind != 0; })
      .def_readonly("bytes", &Plan::bytes)
      .def_readonly("refusal", &Plan::refusal)
      .def_readonly("seconds", &Plan::seconds)
      .def_readonly("reasons", &Plan::reasons);
  module.def("plan", &plan_here, py::arg("algorithm"), py::arg("graph"), py::arg("form"),
             py::arg("known"), py::arg("dtype"), py::arg("wanted"), py::arg("named"),
             py::arg("gpu"), py::arg("gpus"), py::arg("ledger"), py::arg("request"));
}

}  // namespace warpgraph
