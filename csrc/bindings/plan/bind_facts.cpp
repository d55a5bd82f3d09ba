// Facts of graphs that plans rest on, for tests, and what graphs learn from calls.
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"
#include "bindings/plan/request.hpp"
#include "plan/model/formulas.hpp"
#include "warpgraph/planning/needs/memory_needs.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

/// Facts about the structure, None where they have not been looked for.
py::dict known_facts(Graph& graph) {
  const StructureFacts& facts = graph.structure_facts();
  py::dict known;
  known["is_mirrored"] = facts.is_mirrored.if_known();
  known["longest_row"] =
      facts.widest.if_known() ? std::optional(graph.longest_row()) : std::nullopt;
  return known;
}

/// Returns (hops of a search from the vertex of the largest degree, whether that reaches most
/// vertices).
Tuple<int, bool> depth_from_hub(Graph& graph) {
  const plan::Depth found = graph.depth_from_hub();
  return py::make_tuple(found.hops, found.reaches_most);
}

/// Returns the bytes of searches by a method of many_to_many on a device.
std::size_t bytes_of_searches_in(const Graph& graph, const py::dict& request,
                                 const py::dtype& dtype, std::string_view method, Device device) {
  return bytes_of_searches(graph, request_of(request, dtype), method, device);
}

/// Lets the graph of a plan remember how long its call has taken.
void remember(Graph& graph, const plan::Plan& plan, double seconds) {
  const bool on_gpu = plan.devices.at(0).is_cuda();
  if (plan.kind == 0 || plan.devices.size() > 1) return;
  graph.weight_facts().learnt.add(plan.kind, plan.method,
                                  on_gpu ? plan::Place::gpu : plan::Place::cores, seconds,
                                  plan.expected);
}

}  // namespace

void init_facts(py::module_& module) {
  module.def("known_facts", &known_facts, py::arg("graph"));
  module.def("bytes_of_searches", &bytes_of_searches_in, py::arg("graph"), py::arg("request"),
             py::arg("dtype"), py::arg("method"), py::arg("device"));
  module.def(
      "levels_of", [](Graph& graph) { return graph.levels(); }, py::arg("graph"));
  module.def("remember", &remember, py::arg("graph"), py::arg("plan"), py::arg("seconds"));
  module.def("set_learning", &plan::set_learning, py::arg("is_on"));
  module.def("is_learning", &plan::is_learning);
  module.def(
      "set_scales",
      [](double cores, double gpu) {
        plan::set_scales({cores, gpu});
      },
      py::arg("cores"), py::arg("gpu"));
  module.def("scales", [] {
    const plan::Scales scales = plan::scales();
    return std::pair(scales.cores, scales.gpu);
  });
  module.def("depth_from_hub", &depth_from_hub, py::arg("graph"));
}

}  // namespace warpgraph
