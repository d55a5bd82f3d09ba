// Plans: which method takes a call, and on which devices.
#include "bindings/device.hpp"
#include "bindings/keywords.hpp"
#include "bindings/plan/handle_facts.hpp"
#include "bindings/plan/named_facts.hpp"

#include <pybind11/stl.h>

WARPGRAPH_NAMES(warpgraph::plan::Devices::Wanted, {"auto", automatic}, {"cuda:all", all},
                {"named", named});

namespace warpgraph {
namespace {

using plan::Devices;
using plan::Plan;
using plan::Request;

/// `form` is the graph that is searched; None: with all edges both ways, which must be made.
/// `known` are facts that Python holds, see NamedFacts: functions find them on demand.
Plan plan_here(const Request& given, const std::string& algorithm, GraphHandle& graph,
               std::optional<GraphHandle*> form, const py::dict& known, const py::dtype& dtype,
               Devices::Wanted wanted, const std::vector<Device>& named, const py::object& gpu,
               const py::object& gpus) {
  const Request request = with_dtype(given, dtype);
  const HandleFacts facts(graph, form.value_or(nullptr), request, known);
  const ThisMachine machine(gpu, gpus);
  Plan made = make_plan(algorithm, facts, request, {wanted, named, &machine});
  WeightFacts& kept = graph.weight_facts();
  if (made.divides_edge_lists) kept.edge_lists |= bytes_of(request.distances);
  if (made.counts_search) ++kept.n_directed_searches;
  return made;
}

/// The plan for any graph and machine.
Plan plan_for(const Request& request, const std::string& algorithm, const py::dict& facts,
              const py::dtype& dtype, const py::dict& machine, Devices::Wanted wanted,
              const std::vector<Device>& named) {
  const NamedMachine there(machine);
  return make_plan(algorithm, NamedFacts(facts), with_dtype(request, dtype),
                   {wanted, named, &there});
}

template <class... Keywords>
void define_both(py::module_& module, Keywords... keywords) {
  define(module, "plan", &plan_here,
         {"algorithm", "graph", "form", "known", "dtype", "wanted", "named", "gpu", "gpus"},
         keywords...);
  define(module, "plan_for", &plan_for,
         {"algorithm", "facts", "dtype", "machine", "wanted", "named"}, keywords...);
}

}  // namespace

void init_plan(py::module_& module) {
  py::class_<Plan>(module, "Plan")
      .def_readonly("method", &Plan::method)
      .def_readonly("otherwise", &Plan::otherwise)
      .def_readonly("devices", &Plan::devices)
      .def_readonly("has_negative", &Plan::has_negative)
      .def_readonly("is_mirrored", &Plan::is_mirrored)
      .def_readonly("uses_transposed", &Plan::uses_transposed)
      .def_readonly("bytes", &Plan::bytes)
      .def_readonly("seconds", &Plan::seconds)
      .def_readonly("reasons", &Plan::reasons);
  define_both(
      module, keyword("method", &Request::method), keyword("devices_only", &Request::devices_only),
      keyword("is_directed", &Request::is_directed), keyword("unweighted", &Request::unweighted),
      keyword("is_kept", &Request::is_kept), keyword("is_restricted", &Request::is_restricted),
      keyword("has_limit", &Request::has_limit),
      keyword("wants_predecessors", &Request::wants_predecessors),
      keyword("n_sources", &Request::n_sources), keyword("some_sources", &Request::some_sources),
      keyword("without_hierarchy", &Request::without_hierarchy),
      keyword("bytes_to_convert", &Request::bytes_to_convert),
      keyword("memory_limit", &Request::memory_limit), keyword("explains", &Request::explains));
}

}  // namespace warpgraph
