// Undirected graphs in a directed format: is every arc stored both ways, and storing it so.
#pragma once

#include "graph/csr.hpp"

namespace warpgraph {

/// True when the arcs above the diagonal and the mirror image of those below it are the same
/// multiset of (tail, head, weight). One pass over the arcs without looking anything up: both
/// sides are hashed to the sum of 2 x 64 bits an arc with a key drawn anew by each process, so a
/// false "yes" has probability below 2^-100 whatever the graph, and a "no" is always right.
template <class W>
bool is_symmetric(const CsrView<W>& graph);
/// The same for the structure alone.
bool is_symmetric(const CsrPattern& graph);

/// The graph with all arcs turned round; arcs of a row come in the order of their tails. Arcs
/// without weights get the weight 1.
template <class W>
Csr<W> transpose(const CsrView<W>& graph);

/// Every arc both ways: row u holds u's arcs, then the reversed arcs that end in u. Parallel arcs
/// are kept, never summed; loops stay single. memory_limit: bytes; 0: what is free.
template <class W>
Csr<W> symmetrise(const CsrView<W>& graph, std::size_t memory_limit = 0);

}  // namespace warpgraph
