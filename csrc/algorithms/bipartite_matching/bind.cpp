#include "algorithms/bipartite_matching/bipartite_matching.hpp"
#include "bindings/arrays.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"

namespace warpgraph {
namespace {

/// Writes the pairs. The arrays of a CSR matrix have been checked: heads are columns.
void match(const BipartiteMatchingOptions& options, std::span<const edge_t> indptr,
           std::span<const vertex_t> indices, std::span<vertex_t> column_of,
           std::span<vertex_t> row_of) {
  const CsrPattern rows{static_cast<vertex_t>(column_of.size()),
                        static_cast<edge_t>(indices.size()), Offsets(indptr.data()),
                        indices.data()};
  run_released([&] { maximum_bipartite_matching_cpu(rows, options, column_of, row_of); });
}

}  // namespace

void init_bipartite_matching(py::module_& module) {
  define(module, "maximum_bipartite_matching", &match, {"indptr", "indices", "column_of", "row_of"},
         keyword("ledger", &BipartiteMatchingOptions::budget));
}

}  // namespace warpgraph
