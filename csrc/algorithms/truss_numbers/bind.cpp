#include "algorithms/truss_numbers/truss_numbers.hpp"
#include "bindings/arrays.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graphs.hpp"

namespace warpgraph {
namespace {

/// Returns (offsets, heads, numbers) of a graph that has each edge both ways.
Tuple<py::array, py::array, py::array> find_truss_numbers(const TrussNumbersOptions& options,
                                                          const Graph& graph, Progress progress) {
  TrussNumbers found = run_released(std::move(progress),
                                    [&] { return truss_numbers_cpu(graph.pattern(), options); });
  return py::make_tuple(to_array(std::move(found.offsets)), to_array(std::move(found.heads)),
                        to_array(std::move(found.numbers)));
}

}  // namespace

void init_truss_numbers(py::module_& module) {
  define(module, "truss_numbers", &find_truss_numbers, {"graph", "progress"},
         keyword("ledger", &TrussNumbersOptions::budget));
}

}  // namespace warpgraph
