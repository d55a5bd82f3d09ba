// The loops of the search on CPU threads, for any form of heads. Private to this folder.
#pragma once

#include "algorithms/mst/sorted_rows/host_row_search.hpp"

namespace warpgraph::mst {

/// Arcs that a scan compares together.
inline constexpr edge_t arcs_compared = 4;

/// Returns whether `arcs_compared` arcs lie within a tree, without a branch per arc.
template <class RowHeads>
bool lies_within_tree(const RowHeads& heads, edge_t first, vertex_t tree, const vertex_t* tree_of) {
  vertex_t differing = 0;
  for (edge_t e = first; e < first + arcs_compared; ++e) differing |= tree_of[heads.head(e)] ^ tree;
  return differing == 0;
}

template <class Heads>
TreeRange HostRowSearch::search_along(const Heads& heads, vertex_t first, vertex_t last,
                                      const vertex_t* tree_of, vertex_t giant,
                                      choice_t* choices) const {
  TreeRange found;
  std::array<vertex_t, batch> selected;
  std::array<edge_t, batch> positions;
  for (vertex_t begin = first, end; begin < last; begin = end) {
    end = std::min(last - begin, batch) + begin;
    const std::size_t n = select_rows(begin, end, tree_of, giant, choices, selected);
    // Prefetches overlap the latency of these reads.
    if (rows_.heads != nullptr) {
      for (std::size_t i = 0; i < n; ++i) {
        __builtin_prefetch(tree_of + rows_.heads[next_position(selected[i])]);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      positions[i] = skip_internal_arcs(heads.row(selected[i]), selected[i], tree_of);
      __builtin_prefetch(rows_.ranks + positions[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const vertex_t u = selected[i];
      if (lower_choice(heads.row(u), u, positions[i], tree_of, choices)) found.add(tree_of[u]);
    }
  }
  return found;
}

/// Lists those of some rows that may lower a choice; returns their number.
inline std::size_t HostRowSearch::select_rows(vertex_t first, vertex_t last,
                                              const vertex_t* tree_of, vertex_t giant,
                                              const choice_t* choices,
                                              std::array<vertex_t, batch>& selected) const {
  std::size_t n = 0;
  for (vertex_t u = first; u < last; ++u) __builtin_prefetch(choices + tree_of[u]);
  for (vertex_t u = first; u < last; ++u) {
    const vertex_t tree = tree_of[u];
    const bool may_lower = tree != giant && cursors_[u].rank < rank_of(relaxed_load(choices[tree]));
    selected[n] = u;
    n += may_lower ? 1 : 0;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const edge_t e = next_position(selected[i]);
    if (rows_.heads != nullptr) __builtin_prefetch(rows_.heads + e);
  }
  return n;
}

/// Returns the position of the row's first arc that leaves its tree, or the end. Trees only grow,
/// so skipped arcs stay skipped; their ranks are not read.
template <class RowHeads>
edge_t HostRowSearch::skip_internal_arcs(const RowHeads& heads, vertex_t u,
                                         const vertex_t* tree_of) const {
  const vertex_t tree = tree_of[u];
  const edge_t end = rows_.offsets[std::int64_t{u} + 1];
  edge_t e = rows_.offsets[u] + cursors_[u].n_passed;
  while (e + arcs_compared <= end && lies_within_tree(heads, e, tree, tree_of)) e += arcs_compared;
  while (e < end && tree_of[heads.head(e)] == tree) ++e;
  return e;
}

/// Stores the place where a row's scan stopped. Returns whether its arc there has lowered the
/// tree's choice.
template <class RowHeads>
bool HostRowSearch::lower_choice(const RowHeads& heads, vertex_t u, edge_t e,
                                 const vertex_t* tree_of, choice_t* choices) const {
  const bool is_exhausted = e == rows_.offsets[std::int64_t{u} + 1];
  const rank_t rank = is_exhausted ? exhausted : rows_.ranks[e];
  cursors_[u] = {static_cast<rank_t>(e - rows_.offsets[u]), rank};
  return !is_exhausted && lower(choices[tree_of[u]], make_choice(rank, tree_of[heads.head(e)]));
}

}  // namespace warpgraph::mst
