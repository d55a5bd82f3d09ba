#include "algorithms/bottleneck_paths/bottleneck_paths.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graphs.hpp"

namespace warpgraph {
namespace {

/// Finds the bottleneck edge of each pair of a source and a target, for which `edges` has an entry.
void find_edges(const BottleneckOptions& options, vertex_t n_vertices,
                std::span<const vertex_t> ends, const py::array& weights,
                std::span<const vertex_t> sources, std::span<const vertex_t> targets,
                std::span<edge_t> edges) {
  dispatch_weight(weights.dtype(), [&]<class W>() {
    const WeightedForest<W> forest{n_vertices, ends, readable<W>(weights)};
    run_released([&] { bottleneck_edges_cpu(forest, sources, targets, options, edges); });
  });
}

}  // namespace

void init_bottleneck_paths(py::module_& module) {
  define(module, "bottleneck_edges", &find_edges,
         {"n_vertices", "ends", "weights", "sources", "targets", "edges"},
         keyword("maximum", &BottleneckOptions::maximum),
         keyword("ledger", &BottleneckOptions::budget));
}

}  // namespace warpgraph
