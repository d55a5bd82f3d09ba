// Connected components: label[v] is the number of v's component, components numbered from 0 in the
// order of their smallest vertices. Arcs count both ways (weak connectivity).
//
// connected_components_reference joins sets arc by arc, sequentially.
// connected_components_cpu joins vertices in a union-find forest, Afforest's way [1]: first along
// two arcs of each vertex only, after which nearly all of a graph with a giant component hangs
// together; then along the rest, where most arcs only need a look to see that both ends agree.
// Hooking to the smaller root makes every root its component's smallest vertex, so the canonical
// numbering is a scan over the roots and the same on every device.
//
// [1] Sutton, Ben-Nun, Barak: Optimizing parallel graph connectivity computation via subgraph
//     sampling. IPDPS 2018.
#pragma once

#include <span>

#include "core/types.hpp"
#include "graph/csr.hpp"

namespace warpgraph {

/// Each returns the number of components and fills `labels` (n_vertices items).
vertex_t connected_components_reference(const CsrPattern& graph, std::span<vertex_t> labels);
vertex_t connected_components_cpu(const CsrPattern& graph, std::span<vertex_t> labels);

}  // namespace warpgraph
