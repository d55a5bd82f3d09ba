// A maximum matching of a bipartite graph: as many pairs of a row and a column that an arc joins as
// possible, each row and each column in one pair at most.
//
// The algorithm of Hopcroft and Karp [1] in O(m sqrt(n)) time: in each phase, a breadth-first
// search from all unmatched rows finds how long the shortest alternating path to an unmatched
// column is, and depth-first searches flip paths of that length that share no row, until none is
// left. A row from which no column was reached is not searched again in the phase. Without that
// mark, as in SciPy's function, a search takes time exponential in the length of a ladder, whose
// rungs join each two rows to the next two. Rows, arcs and stacks have the order that they have
// there, so the pairs are the same. Parallel arcs are harmless.
//
// [1] Hopcroft, Karp: An n^(5/2) algorithm for maximum matchings in bipartite graphs. SIAM J.
//     Computing 2, 1973.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "graph/csr.hpp"

#include <span>

namespace warpgraph {

struct BipartiteMatchingOptions {
  /// Bytes that the call may take beside the result.
  MemoryBudget budget = {};
};

/// Writes the column of each row and the row of each column, or no_vertex. The vertices of the
/// graph are the rows, and the heads of arcs are columns, of which there may be another number.
void maximum_bipartite_matching_cpu(const CsrPattern& rows, const BipartiteMatchingOptions& options,
                                    std::span<vertex_t> column_of, std::span<vertex_t> row_of);

/// Finds a path for one row after the other, in quadratic time: the size of a maximum matching.
vertex_t maximum_bipartite_matching_reference(const CsrPattern& rows, vertex_t n_columns);

}  // namespace warpgraph
