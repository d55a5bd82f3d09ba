#include "algorithms/shortest_path/shortest_path.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graph_arrays.hpp"
#include "bindings/graphs.hpp"

namespace warpgraph {
namespace {

ArraysOfPaths paths_between(const ShortestPathSettings& settings, const Graph& graph,
                            const Graph& transposed, std::span<const vertex_t> sources,
                            std::span<const vertex_t> targets, const py::dtype& dtype,
                            bool unweighted, bool wants_vertices, Progress progress) {
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> forward = host_view<W>(graph, unweighted);
    const CsrView<W> backward = host_view<W>(transposed, unweighted);
    PathsOfPairs<W> found = run_released(std::move(progress), [&] {
      return shortest_paths_cpu(forward, backward, {sources, targets, wants_vertices}, settings);
    });
    return to_arrays(std::move(found));
  });
}

}  // namespace

void init_shortest_path(py::module_& module) {
  define(module, "shortest_paths", &paths_between,
         {"graph", "transposed", "sources", "targets", "dtype", "unweighted", "wants_vertices",
          "progress"},
         keyword("ledger", &ShortestPathSettings::budget));
}

}  // namespace warpgraph
