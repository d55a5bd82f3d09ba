#include "algorithms/traversal/traversal.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graphs.hpp"

namespace warpgraph {
namespace {

/// Writes the order, and returns the number of visited vertices. `predecessors` may be empty: then
/// they are not written.
template <vertex_t find_order(const CsrPattern&, const TraversalOptions&, std::span<vertex_t>,
                              std::span<vertex_t>)>
vertex_t order_of(const TraversalOptions& options, const Graph& graph, std::span<vertex_t> order,
                  std::span<vertex_t> predecessors, Progress progress) {
  return run_released(std::move(progress),
                      [&] { return find_order(graph.pattern(), options, order, predecessors); });
}

template <class Function>
void define_order(py::module_& module, const char* name, Function function) {
  define(module, name, function, {"graph", "order", "predecessors", "progress"},
         keyword("source", &TraversalOptions::source),
         keyword("directed", &TraversalOptions::directed),
         keyword("missing", &TraversalOptions::missing),
         keyword("ledger", &TraversalOptions::budget));
}

}  // namespace

void init_traversal(py::module_& module) {
  define_order(module, "breadth_first_order", &order_of<breadth_first_order>);
  define_order(module, "depth_first_order", &order_of<depth_first_order>);
}

}  // namespace warpgraph
