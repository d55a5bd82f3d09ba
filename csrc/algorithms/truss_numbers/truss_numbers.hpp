// Truss numbers: the largest k for which an edge is in the k-truss, the largest subgraph whose
// edges are all in at least k - 2 triangles of it [1].
//
// The support of an edge, the number of triangles that it is in, is counted for all edges first:
// see supports.hpp. Then edges are removed [2], those of the least support k together, by all
// threads [3]. Each leaves with the number k + 2, and counts one triangle less for the two other
// edges of each triangle that is left, but not below k; if two edges of a triangle leave together,
// the smaller one of them counts for the third. Edges that come to k leave next. The neighbours of
// the end of fewer neighbours are looked up in the sorted row of the other end, which takes
// O(m^1.5 log n) time in all. Edges that have left are dropped from the rows whenever half of those
// in them have: the edges that stay to the end are those of hubs, whose rows are short by then.
// Every order of removals ends with the same trusses.
//
// The edges that stay are scanned once for each support that is the least at a time. An edge is
// scanned no more often than its truss number says, so at most three times for each triangle and
// twice for each edge.
//
// Loops, parallel arcs and directions do not count.
//
// [1] Cohen: Trusses: cohesive subgraphs for social network analysis. NSA technical report, 2008.
// [2] Wang, Cheng: Truss decomposition in massive networks. PVLDB 5(9), 2012.
// [3] Kabir, Madduri: Shared-memory graph truss decomposition. HiPC 2017.
// [4] Chiba, Nishizeki: Arboricity and subgraph listing algorithms. SIAM J. Computing 14, 1985.
#pragma once

#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/csr.hpp"

#include <cstddef>

namespace warpgraph {

struct TrussNumbersOptions {
  /// Bytes that the call may take, with the result; 0: the free memory.
  MemoryBudget budget = {};
};

/// A number of each edge, in both directions; rows ascend. Row u has the items offsets[u] ..
/// offsets[u + 1] - 1.
struct TrussNumbers {
  HostVector<edge_t> offsets;
  HostVector<vertex_t> heads;
  HostVector<vertex_t> numbers;  // at least 2
};

/// Returns what truss_numbers_cpu asks for, beside a copy of a graph without simple rows.
[[nodiscard]] MemoryNeed need_of_truss_numbers(const CsrPattern& graph);

/// Returns the truss numbers of a graph that has each edge both ways.
TrussNumbers truss_numbers_cpu(const CsrPattern& graph, const TrussNumbersOptions& options);

/// Returns the same by the definition: for each k, edges in too few triangles are removed until
/// there are none.
TrussNumbers truss_numbers_reference(const CsrPattern& graph);

}  // namespace warpgraph
