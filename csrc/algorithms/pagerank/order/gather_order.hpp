// PageRank on the host along a copy of the transposed graph in which the vertices with the most
// arcs have the smallest numbers. Where few vertices have most of the arcs, and numbers have no
// locality, the contributions that a sweep gathers then mostly come from few cache lines. Rows keep
// the order of their arcs and sums over vertices are exact, so the scores are the same bits.
#pragma once

#include "algorithms/pagerank/pagerank.hpp"
#include "core/memory/memory_budget.hpp"

#include <optional>

namespace warpgraph {

template <class W>
struct GatherOrder {
  Csr<W> graph;                // transposed and renumbered
  HostVector<vertex_t> order;  // vertex i of `graph` is order[i] of the original
};

/// Returns the transposed graph in the order of the degrees of the graph itself. Nothing if memory
/// lacks for it and, beside it, for a call with these vectors on so many endpoints of the host.
template <class W>
std::optional<GatherOrder<W>> order_for_gathers(const CsrView<W>& transposed,
                                                const CsrPattern& graph,
                                                const PageRankVectors& vectors,
                                                std::size_t n_endpoints, MemoryBudget budget);

/// Returns whether memory suffices for pagerank_in_order.
bool has_memory_in_order(const CsrPattern& transposed, const PageRankVectors& vectors,
                         std::size_t n_endpoints, MemoryBudget budget);

/// Computes the scores by a GatherOrder, on the host or on several endpoints of it. Vectors and
/// scores have the original order.
template <class W>
PageRankResult pagerank_in_order(const CsrView<W>& renumbered, std::span<const vertex_t> order,
                                 const PageRankVectors& vectors, const PageRankOptions& options,
                                 PageRankScores scores, const std::vector<Device>& devices);

}  // namespace warpgraph
