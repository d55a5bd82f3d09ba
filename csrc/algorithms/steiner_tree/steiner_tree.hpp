// Steiner tree: a light tree that joins some vertices, the terminals, over any others.
//
// A lightest one is NP-hard to find. Mehlhorn's method [1] finds a tree that weighs at most
// 2 (1 - 1 / l) times as much, where l is the number of leaves of a lightest one:
//
// 1. A search from all terminals gives each vertex its nearest terminal, and the path to it.
// 2. An edge between vertices of two terminals is a bridge: it makes a path between these.
// Kruskal's
//    algorithm joins the terminals by the shortest of these paths. They span all terminals as
//    lightly as the shortest paths between all pairs would.
// 3. The tree is the chosen bridges, with the paths from their ends to the nearest terminals. Paths
//    to one terminal belong to one tree of shortest paths, so no cycle closes, and every leaf is a
//    terminal: there is nothing to prune.
//
// Ties: the trees of shortest paths are those of sssp (sssp.hpp), bridges of equal length are taken
// in the order of their positions, and of parallel edges the first of the lightest counts. So the
// tree is the same for any number of threads.
//
// [1] Mehlhorn: A faster approximation algorithm for the Steiner problem in graphs. Information
//     Processing Letters 27, 1988.
#pragma once

#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/types.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <span>

namespace warpgraph {

struct SteinerTreeOptions {
  /// Searches by delta-stepping on all threads, else by one heap.
  bool delta_stepping = true;
  /// Every edge is stored both ways, so that half of the entries tell all.
  bool mirrored = false;
  /// Bytes that the call may take; 0: the free memory.
  MemoryBudget budget = {};
};

struct SteinerTree {
  /// The positions of its edges in the arrays of the graph, in ascending order.
  HostVector<edge_t> positions;
  /// The first terminal that no path joins to the first of all; no_vertex: the tree has all.
  vertex_t apart = no_vertex;
};

/// Returns what steiner_tree_cpu asks for before it searches.
template <class W>
[[nodiscard]] MemoryNeed need_of_steiner_tree(const CsrPattern& graph);
/// Returns the bytes that the tree takes at most beside the search of sssp, whatever the terminals.
template <class W>
std::size_t most_bytes_of_steiner_tree(const CsrPattern& graph);

/// Joins the terminals. `undirected` is the graph with every edge both ways, which is searched;
/// entries of `graph` are edges in both directions. `terminals` are ascending and all different, at
/// least one. No weight may be negative. Throws std::overflow_error if the length of a path does
/// not fit W.
template <class W>
SteinerTree steiner_tree_cpu(const CsrView<W>& graph, const CsrView<W>& undirected,
                             std::span<const vertex_t> terminals,
                             const SteinerTreeOptions& options);

}  // namespace warpgraph
