#include "algorithms/steiner_tree/steiner_tree.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graphs.hpp"

namespace warpgraph {
namespace {

/// A tree as (positions of its edges, the first terminal that is not in it or -1).
using TreeArrays = Tuple<py::array_t<edge_t>, vertex_t>;

TreeArrays find_tree(const SteinerTreeOptions& options, const Graph& graph, const Graph& undirected,
                     std::span<const vertex_t> terminals, const py::dtype& dtype,
                     Progress progress) {
  return dispatch_weight(dtype, [&]<class W>() -> TreeArrays {
    const CsrView<W> view = graph.view<W>();
    const CsrView<W> searched = undirected.view<W>();
    SteinerTree tree = run_released(
        std::move(progress), [&] { return steiner_tree_cpu(view, searched, terminals, options); });
    return py::make_tuple(to_array(std::move(tree.positions)), tree.apart);
  });
}

}  // namespace

void init_steiner_tree(py::module_& module) {
  define(module, "steiner_tree", &find_tree,
         {"graph", "undirected", "terminals", "dtype", "progress"},
         keyword("delta_stepping", &SteinerTreeOptions::delta_stepping),
         keyword("mirrored", &SteinerTreeOptions::mirrored),
         keyword("ledger", &SteinerTreeOptions::budget));
}

}  // namespace warpgraph
