#include "algorithms/shortest_path_dag/shortest_path_dag.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graphs.hpp"

namespace warpgraph {
namespace {

/// Arrays indptr, tails and positions, by heads.
using ShortestPathArcs = Tuple<py::array_t<edge_t>, py::array_t<vertex_t>, py::array_t<edge_t>>;

ShortestPathArcs arcs_of_shortest_paths(const ShortestPathDagSettings& settings, const Graph& graph,
                                        const py::array& distances, bool unweighted) {
  return dispatch_weight(distances.dtype(), [&]<class W>() -> ShortestPathArcs {
    const CsrView<W> view = host_view<W>(graph, unweighted);
    const std::span<const W> known = readable<W>(distances);
    ShortestPathDag dag =
        run_released([&] { return shortest_path_dag_cpu(view, known, settings); });
    return py::make_tuple(to_array(std::move(dag.offsets)), to_array(std::move(dag.tails)),
                          to_array(std::move(dag.positions)));
  });
}

void count_paths(std::span<const edge_t> offsets, std::span<const vertex_t> tails, vertex_t source,
                 std::span<double> counts) {
  run_released([&] { count_shortest_paths(offsets, tails, source, counts); });
}

}  // namespace

void init_shortest_path_dag(py::module_& module) {
  define(module, "shortest_path_dag", &arcs_of_shortest_paths, {"graph", "distances", "unweighted"},
         keyword("source", &ShortestPathDagSettings::source),
         keyword("both_ways", &ShortestPathDagSettings::both_ways),
         keyword("ledger", &ShortestPathDagSettings::budget));
  module.def("count_shortest_paths", &count_paths, py::arg("indptr"), py::arg("tails"),
             py::arg("source"), py::arg("counts"));
}

}  // namespace warpgraph
