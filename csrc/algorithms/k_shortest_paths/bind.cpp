#include "algorithms/k_shortest_paths/k_shortest_paths.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graphs.hpp"

namespace warpgraph {
namespace {

/// Lengths, the start of each path and the end of the last, and vertices.
using PathArrays = Tuple<py::array, py::array_t<edge_t>, py::array_t<vertex_t>>;

/// Lengths have the dtype of `to_target`.
PathArrays paths(const KShortestPathsOptions& options, const Graph& graph, const Graph& transposed,
                 const py::array& to_target, bool unweighted, Progress progress) {
  return dispatch_weight(to_target.dtype(), [&]<class W>() -> PathArrays {
    const CsrView<W> view = host_view<W>(graph, unweighted);
    const CsrView<W> backward = host_view<W>(transposed, unweighted);
    const std::span<const W> distances = readable<W>(to_target);
    KShortestPaths<W> found = run_released(
        std::move(progress), [&] { return k_shortest_paths(view, backward, distances, options); });
    return py::make_tuple(to_array(std::move(found.lengths)), to_array(std::move(found.offsets)),
                          to_array(std::move(found.vertices)));
  });
}

}  // namespace

void init_k_shortest_paths(py::module_& module) {
  define(module, "k_shortest_paths", &paths,
         {"graph", "transposed", "to_target", "unweighted", "progress"},
         keyword("source", &KShortestPathsOptions::source),
         keyword("target", &KShortestPathsOptions::target), keyword("k", &KShortestPathsOptions::k),
         keyword("ledger", &KShortestPathsOptions::budget));
}

}  // namespace warpgraph
