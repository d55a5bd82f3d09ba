#include "algorithms/shortest_path/shortest_path.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graph_handle.hpp"

namespace warpgraph {
namespace {

/// (length, vertices, whether the length of a path overflowed).
Tuple<py::object, py::array_t<vertex_t>, bool> path_between(
    const ShortestPathSettings& settings, const GraphHandle& graph, const GraphHandle& transposed,
    vertex_t source, vertex_t target, const py::dtype& dtype, bool unweighted) {
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> forward = host_view<W>(graph, unweighted);
    const CsrView<W> backward = host_view<W>(transposed, unweighted);
    ShortestPath<W> found = run_released(
        [&] { return shortest_path_cpu(forward, backward, source, target, settings); });
    return Tuple<py::object, py::array_t<vertex_t>, bool>(
        py::make_tuple(found.length, to_array(std::move(found.vertices)), found.overflows));
  });
}

}  // namespace

void init_shortest_path(py::module_& module) {
  define(module, "shortest_path", &path_between,
         {"graph", "transposed", "source", "target", "dtype", "unweighted"},
         ledger_keyword(&ShortestPathSettings::memory_limit));
}

}  // namespace warpgraph
