#include "algorithms/minimum_arborescence/minimum_arborescence.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graphs.hpp"

namespace warpgraph {
namespace {

/// An arborescence as (root, predecessors, positions, a vertex that was not reached or -1).
using ArborescenceArrays = Tuple<vertex_t, py::array_t<vertex_t>, py::array_t<edge_t>, vertex_t>;

ArborescenceArrays find_arborescence(const ArborescenceOptions& options, const Graph& graph,
                                     const py::dtype& dtype, Progress progress) {
  return dispatch_weight(dtype, [&]<class W>() -> ArborescenceArrays {
    const CsrView<W> view = graph.view<W>();
    Arborescence found =
        run_released(std::move(progress), [&] { return minimum_arborescence_cpu(view, options); });
    return py::make_tuple(found.root, to_array(std::move(found.predecessors)),
                          to_array(std::move(found.positions)), found.unreached);
  });
}

}  // namespace

void init_minimum_arborescence(py::module_& module) {
  define(module, "minimum_arborescence", &find_arborescence, {"graph", "dtype", "progress"},
         keyword("root", &ArborescenceOptions::root),
         keyword("ledger", &ArborescenceOptions::budget));
}

}  // namespace warpgraph
