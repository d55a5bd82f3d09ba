// Undirected graphs in a directed format: tests whether every arc is stored in both directions, and
// adds missing directions.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "graph/csr.hpp"

#include <optional>

namespace warpgraph {

/// Returns whether the arcs above the diagonal and the transposed arcs below it are the same
/// multiset of (tail, head, weight). First the reverse of a few arcs is looked up, which ends the
/// test of most graphs that are not symmetric. Then one pass without look-ups: each side is hashed
/// to the sum of 2 x 64 bits per arc with a random key per process, so a false "yes" has
/// probability below 2^-100 for any graph, and a "no" is always right.
template <class W>
bool is_symmetric(const CsrView<W>& graph);
/// Returns whether the structure alone is symmetric.
bool is_symmetric(const CsrPattern& graph);

/// Returns whether the reverse of one of a few arcs, evenly spaced, is missing. Arcs to long rows
/// are not looked up.
template <class W>
bool misses_a_sampled_reverse(const CsrView<W>& graph);
bool misses_a_sampled_reverse(const CsrPattern& graph);

/// Returns what transpose() asks for.
template <class W>
[[nodiscard]] MemoryNeed need_of_transpose(const CsrPattern& graph);
/// Returns the transposed graph; arcs of a row are in the order of their original tails. Arcs
/// without weights get the weight 1.
template <class W>
Csr<W> transpose(const CsrView<W>& graph, MemoryBudget budget = {});

/// Returns what symmetrise() asks for if no arc is a loop.
template <class W>
[[nodiscard]] MemoryNeed most_need_of_symmetrise(const CsrPattern& graph);
/// Returns the graph with all arcs in both directions: row u holds u's arcs, then the reversed arcs
/// that end in u. Parallel arcs are kept, never summed; loops are not duplicated. W may be
/// Unweighted.
template <class W>
Csr<W> symmetrise(const CsrView<W>& graph, MemoryBudget budget = {});

/// Returns the weights of all arcs of a graph that has each edge both ways, with arcs in any order;
/// nothing if an arc has no reverse. `weights` are those of the arcs (u, v) with u <= v, in the
/// order of the graph. Of parallel edges, the i-th one in row u is the i-th one in row v.
template <class W>
std::optional<HostVector<W>> weights_both_ways(const CsrPattern& graph, std::span<const W> weights);

}  // namespace warpgraph
