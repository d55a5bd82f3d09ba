// In how many triangles each edge is.
#pragma once

#include "graph/csr.hpp"

#include <cstddef>
#include <span>

namespace warpgraph::truss_numbers {

std::size_t bytes_of_supports(std::int64_t n_vertices, edge_t n_arcs);

/// Writes the number of triangles of each edge at its arc from the smaller vertex, and 0 at other
/// arcs. The graph has simple rows without loops, and `edges` the first of these arcs for each arc.
///
/// Each edge leads from its end of fewer neighbours to the other one. A triangle is found once, as
/// a common head of the ends of one edge, by merging their rows. No row has more than sqrt(2 m)
/// arcs, so that this takes O(m^1.5) time [4].
void count_supports(const CsrPattern& graph, std::span<const edge_t> edges,
                    std::span<vertex_t> supports);

}  // namespace warpgraph::truss_numbers
