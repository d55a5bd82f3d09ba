#include "algorithms/core_numbers/core_numbers.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graphs.hpp"

namespace warpgraph {
namespace {

/// Writes the core number of each vertex. `graph` has each edge both ways.
void find_cores(const CoreNumbersOptions& options, const Graph& graph, std::span<vertex_t> cores,
                Progress progress) {
  run_released(std::move(progress), [&] { core_numbers_cpu(graph.pattern(), options, cores); });
}

}  // namespace

void init_core_numbers(py::module_& module) {
  define(module, "core_numbers", &find_cores, {"graph", "cores", "progress"},
         keyword("ledger", &CoreNumbersOptions::budget));
}

}  // namespace warpgraph
