// Truss numbers: the largest k for which an edge is in the k-truss, the largest subgraph whose
// edges are all in at least k - 2 triangles of it [1].
//
// The support of an edge, the number of triangles that it is in, is counted for all edges first, on
// all threads: each neighbour of the end of fewer neighbours is looked up in the sorted row of the
// other end, which takes O(m^1.5 log n) time, since no more than sqrt(2 m) vertices have more than
// sqrt(2 m) neighbours [2].
//
// Then edges are peeled as vertices are for core numbers: one thread keeps them sorted by support,
// in buckets. The edge of the least support k leaves with the number k + 2, and the two other edges
// of each triangle that it closes with edges that are left are moved to the bucket before, unless
// their support is k already [3]. Every order of removals ends with the same trusses.
//
// Loops, parallel arcs and directions do not count.
//
// [1] Cohen: Trusses: cohesive subgraphs for social network analysis. NSA technical report, 2008.
// [2] Chiba, Nishizeki: Arboricity and subgraph listing algorithms. SIAM J. Computing 14, 1985.
// [3] Wang, Cheng: Truss decomposition in massive networks. PVLDB 5(9), 2012.
#pragma once

#include "core/memory/host_vector.hpp"
#include "graph/csr.hpp"

#include <cstddef>

namespace warpgraph {

struct TrussNumbersOptions {
  /// Bytes that the call may take, with the result; 0: the free memory.
  std::size_t memory_limit = 0;
};

/// A number of each edge, in both directions; rows ascend. Row u has the items offsets[u] ..
/// offsets[u + 1] - 1.
struct TrussNumbers {
  HostVector<edge_t> offsets;
  HostVector<vertex_t> heads;
  HostVector<vertex_t> numbers;  // at least 2
};

/// Returns the truss numbers of a graph that has each edge both ways.
TrussNumbers truss_numbers_cpu(const CsrPattern& graph, const TrussNumbersOptions& options);

/// Returns the same by the definition: for each k, edges in too few triangles are removed until
/// there are none.
TrussNumbers truss_numbers_reference(const CsrPattern& graph);

}  // namespace warpgraph
