// Rows of arcs in the order in which Boruvka's algorithm reads them. Private to this folder.
//
// Rows are prepared once: every edge gets a rank, its index in Kruskal's order, and both of its
// arcs carry it. Ranks generalise Kolganov's mapping of weights to integers [1 in mst_boruvka.hpp]:
// for any type of weights they compare as 32 bits, and no two edges tie. Each row is sorted by
// rank. Then the first arc of a row that leaves the row's tree is its lightest one. Trees only
// grow, so an arc that was skipped once is never read again: each row stores where its scan
// stopped.
#pragma once

#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/csr.hpp"

namespace warpgraph::mst {

/// An edge's index in Kruskal's order.
using rank_t = std::uint32_t;
/// The most edges that have ranks. The bound excludes the rank that, combined with a tree number,
/// could equal no_choice.
inline constexpr std::int64_t max_ranked_edges = 0xffffffff;

/// The lightest edge that leaves a tree, and the tree that it leads to. Compares by rank.
using choice_t = std::uint64_t;
inline constexpr choice_t no_choice = ~choice_t{0};

WARPGRAPH_HOST_DEVICE constexpr choice_t make_choice(rank_t rank, vertex_t target) noexcept {
  return choice_t{rank} << 32 | static_cast<std::uint32_t>(target);
}
WARPGRAPH_HOST_DEVICE constexpr rank_t rank_of(choice_t choice) noexcept {
  return static_cast<rank_t>(choice >> 32);
}
/// Returns the tree that a choice leads to; no_vertex for no_choice.
WARPGRAPH_HOST_DEVICE constexpr vertex_t target_of(choice_t choice) noexcept {
  return static_cast<vertex_t>(static_cast<std::uint32_t>(choice));
}

/// The targets of trees' choices, for boruvka::join_trees.
struct TargetOfChoice {
  const choice_t* choices;
  WARPGRAPH_HOST_DEVICE vertex_t operator()(vertex_t tree) const {
    return target_of(choices[tree]);
  }
};

/// A function that lists the edges along which trees are joined, and resets the choices.
struct RecordChoice {
  choice_t* choices;
  rank_t* chosen;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t tree, bool is_hooked, std::int64_t i) const {
    if (is_hooked) chosen[i] = rank_of(choices[tree]);
    choices[tree] = no_choice;
  }
};

/// Prepared rows, on host or device. Arrays of arcs may be partial: a search reads only its own
/// rows.
struct RowsView : CsrPattern {
  const rank_t* ranks = nullptr;
};

/// The owner of prepared rows on the host.
struct PreparedRows {
  HostVector<edge_t> offsets{0};
  HostVector<vertex_t> heads;
  HostVector<rank_t> ranks;
  HostVector<edge_t> positions;  // of the edge of each rank, in the graph
  HostVector<vertex_t> tails;    // of the edge of each rank

  [[nodiscard]] std::size_t bytes() const noexcept {
    return (offsets.size() + positions.size()) * sizeof(edge_t) +
           (heads.size() + tails.size()) * sizeof(vertex_t) + ranks.size() * sizeof(rank_t);
  }
  [[nodiscard]] RowsView view() const noexcept;
};

/// Throws std::invalid_argument if there are more edges than ranks.
void check_rankable(std::int64_t n_edges);

/// Prepares rows. The edges are the entries above the diagonal; others are skipped.
template <class W>
PreparedRows prepare_rows(const CsrView<W>& graph, bool maximum, MemoryBudget budget = {});

/// The heads of rows that are stored as they are. Searches take other forms with these members,
/// too.
struct PlainHeads {
  const vertex_t* heads;
  WARPGRAPH_HOST_DEVICE const PlainHeads& row(vertex_t) const noexcept { return *this; }
  WARPGRAPH_HOST_DEVICE vertex_t head(edge_t e) const noexcept { return heads[e]; }
};

}  // namespace warpgraph::mst
