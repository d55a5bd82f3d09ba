// Core distances and mutual-reachability distances in a sparse graph.
//
// An arc is an edge between its ends, whichever direction is stored; of several between the same
// vertices the lightest counts. Loops are ignored. The core of a vertex is the min_samples-th
// smallest distance to a neighbour, of which the vertex itself is the first, with 0; inf if it has
// too few neighbours. O(m log d) time for m arcs and rows of d, in parallel over rows.
#pragma once

#include "graph/csr.hpp"

#include <span>

namespace warpgraph {

/// Computes the core distances of a graph that has all arcs in both directions. T: float or double.
template <class T>
void core_distances_of_graph(const CsrView<T>& graph, std::int32_t min_samples, std::span<T> cores);

/// Makes weights[arc] the largest of the arc's weight / divisor and the cores of its ends, or of 0
/// if there are no cores. Returns the first arc whose positive or finite weight the division makes
/// 0 or inf, or -1.
template <class T>
edge_t mutual_reachability_weights(const CsrView<T>& graph, std::span<const T> cores, T divisor,
                                   std::span<T> weights);

}  // namespace warpgraph
