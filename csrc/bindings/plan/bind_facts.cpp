// Facts of graphs that plans rest on, for tests.
#include "bindings/device.hpp"
#include "bindings/graph_handle.hpp"
#include "bindings/plan/needs/memory_needs.hpp"
#include "bindings/plan/request.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

/// Facts about the structure, None where they have not been looked for.
py::dict known_facts(GraphHandle& graph) {
  const StructureFacts& facts = graph.structure_facts();
  py::dict known;
  known["is_mirrored"] = facts.is_mirrored.if_known();
  known["longest_row"] =
      facts.widest.if_known() ? std::optional(graph.longest_row()) : std::nullopt;
  return known;
}

/// Returns (hops of a search from the vertex of the largest degree, whether that reaches most
/// vertices).
Tuple<int, bool> depth_from_hub(GraphHandle& graph) {
  const plan::Depth found = graph.depth_from_hub();
  return py::make_tuple(found.hops, found.reaches_most);
}

/// Returns the bytes of searches by a method of many_to_many on a device.
std::size_t bytes_of_searches_in(const GraphHandle& graph, const py::dict& request,
                                 const py::dtype& dtype, std::string_view method, Device device) {
  return bytes_of_searches(graph, request_of(request, dtype), method, device);
}

}  // namespace

void init_facts(py::module_& module) {
  module.def("known_facts", &known_facts, py::arg("graph"));
  module.def("bytes_of_searches", &bytes_of_searches_in, py::arg("graph"), py::arg("request"),
             py::arg("dtype"), py::arg("method"), py::arg("device"));
  module.def("depth_from_hub", &depth_from_hub, py::arg("graph"));
}

}  // namespace warpgraph
