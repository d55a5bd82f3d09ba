// How many levels a breadth-first search will have, as the growth of its first ones tells.
#pragma once

#include "graph/csr.hpp"

namespace warpgraph {

/// Returns the expected number of levels of a breadth-first search. Searches from some vertices,
/// spread evenly, that read a few thousand arcs each tell it: where the number of vertices within h
/// steps grows like h to the power p, as by 1 in a chain and by 2 on roads, a search for n of them
/// takes about n to the power 1/p steps. The heads may be unchecked: those that are no vertices are
/// skipped.
[[nodiscard]] double estimate_levels(const CsrPattern& graph);

}  // namespace warpgraph
