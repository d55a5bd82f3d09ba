#include "algorithms/triangles/triangles.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graphs.hpp"

namespace warpgraph {
namespace {

/// Counts the triangles of each vertex. `graph` has each edge both ways; `degrees` may be empty,
/// then they are not counted.
void count_triangles(const TrianglesOptions& options, const Graph& graph,
                     std::span<std::int64_t> triangles, std::span<vertex_t> degrees,
                     Progress progress) {
  run_released(std::move(progress), [&] {
    triangles_cpu(graph.pattern(), options, {triangles, degrees});
  });
}

}  // namespace

void init_triangles(py::module_& module) {
  define(module, "triangles", &count_triangles, {"graph", "triangles", "degrees", "progress"},
         keyword("ledger", &TrianglesOptions::budget));
}

}  // namespace warpgraph
