// The search for lightest edges along prepared rows, on CPU threads. Private to this folder.
//
// Each row stores where its scan stopped, and the rank there, a lower bound for its remaining arcs.
// If the row's tree already has a lighter choice, the row is skipped without reading its arcs; in a
// large tree that holds for nearly all rows once a few were searched. So a round reads 12 bytes per
// row sequentially, and few arcs.
#pragma once

#include "algorithms/mst/sorted_rows/prepared_rows.hpp"
#include "core/atomics.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <array>

namespace warpgraph::mst {

/// A range that contains all trees whose choices a search has lowered.
struct TreeRange {
  vertex_t first = detail::largest<vertex_t>;
  vertex_t last = no_vertex;

  [[nodiscard]] bool empty() const noexcept { return last < first; }
  [[nodiscard]] std::int64_t size() const noexcept {
    return empty() ? 0 : std::int64_t{last} - first + 1;
  }
  void add(vertex_t tree) noexcept {
    first = std::min(first, tree);
    last = std::max(last, tree);
  }
  friend TreeRange operator+(TreeRange a, TreeRange b) noexcept {
    return {std::min(a.first, b.first), std::max(a.last, b.last)};
  }
};

class HostRowSearch {
 public:
  /// `min_ranks`, if not null, is a lower bound on the ranks of each row's arcs.
  explicit HostRowSearch(const RowsView& rows, const rank_t* min_ranks = nullptr)
      : rows_(rows), min_ranks_(min_ranks), cursors_(rows.n_vertices) {
    reset(0);
  }
  [[nodiscard]] static std::size_t bytes(vertex_t n_rows) noexcept {
    return static_cast<std::size_t>(n_rows) * sizeof(Cursor);
  }

  /// Resets the cursors of the rows from `first` on.
  void reset(vertex_t first) const {
    parallel_for(
        std::int64_t{rows_.n_vertices} - first,
        [&](std::int64_t i) {
          cursors_[first + i] = {0, min_ranks_ != nullptr ? min_ranks_[first + i] : 0};
        },
        light_grain);
  }

  /// Lowers choices[tree] to the lightest edge that leaves the tree from the rows [first, last).
  /// Rows of the tree `giant` are skipped. Threads may search different rows at the same time, and
  /// in earlier rounds a row may have been searched elsewhere.
  TreeRange search(vertex_t first, vertex_t last, const vertex_t* tree_of, vertex_t giant,
                   choice_t* choices) const {
    TreeRange found;
    with_heads(rows_, [&](const auto& heads) {
      found = search_along(heads, first, last, tree_of, giant, choices);
    });
    return found;
  }

 private:
  /// The number of a row's leading arcs that lie within a tree, and a lower bound on the ranks of
  /// the others: 0 if the row was not read yet.
  struct Cursor {
    rank_t n_passed;
    rank_t rank;
  };
  static constexpr rank_t exhausted = rank_of(no_choice);
  /// Rows that are prefetched together: about as many reads as a core has in flight.
  static constexpr vertex_t batch = 32;
  /// Arcs that a scan compares together.
  static constexpr edge_t stride = 4;

  template <class Heads>
  TreeRange search_along(const Heads& heads, vertex_t first, vertex_t last, const vertex_t* tree_of,
                         vertex_t giant, choice_t* choices) const {
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
  std::size_t select_rows(vertex_t first, vertex_t last, const vertex_t* tree_of, vertex_t giant,
                          const choice_t* choices, std::array<vertex_t, batch>& selected) const {
    std::size_t n = 0;
    for (vertex_t u = first; u < last; ++u) __builtin_prefetch(choices + tree_of[u]);
    for (vertex_t u = first; u < last; ++u) {
      const vertex_t tree = tree_of[u];
      const bool may_lower =
          tree != giant && cursors_[u].rank < rank_of(relaxed_load(choices[tree]));
      selected[n] = u;
      n += may_lower ? 1 : 0;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const edge_t e = next_position(selected[i]);
      if (rows_.heads != nullptr) __builtin_prefetch(rows_.heads + e);
    }
    return n;
  }

  /// The position at which the scan of a row continues. Never called for exhausted rows.
  [[nodiscard]] edge_t next_position(vertex_t u) const {
    const edge_t e = rows_.offsets[u] + cursors_[u].n_passed;
    return e < rows_.n_arcs ? e : 0;
  }

  /// The position of the row's first arc that leaves its tree, or the end. Trees only grow, so
  /// skipped arcs stay skipped; their ranks are not read.
  template <class RowHeads>
  edge_t skip_internal_arcs(const RowHeads& heads, vertex_t u, const vertex_t* tree_of) const {
    const vertex_t tree = tree_of[u];
    const edge_t end = rows_.offsets[std::int64_t{u} + 1];
    edge_t e = rows_.offsets[u] + cursors_[u].n_passed;
    while (e + stride <= end && lies_within_tree(heads, e, tree, tree_of)) e += stride;
    while (e < end && tree_of[heads.head(e)] == tree) ++e;
    return e;
  }

  /// Stores where a row's scan stopped. Returns whether its arc there has lowered the tree's
  /// choice.
  template <class RowHeads>
  bool lower_choice(const RowHeads& heads, vertex_t u, edge_t e, const vertex_t* tree_of,
                    choice_t* choices) const {
    const bool is_exhausted = e == rows_.offsets[std::int64_t{u} + 1];
    const rank_t rank = is_exhausted ? exhausted : rows_.ranks[e];
    cursors_[u] = {static_cast<rank_t>(e - rows_.offsets[u]), rank};
    return !is_exhausted && lower(choices[tree_of[u]], make_choice(rank, tree_of[heads.head(e)]));
  }

  /// Whether `stride` arcs lie within a tree, without a branch per arc.
  template <class RowHeads>
  static bool lies_within_tree(const RowHeads& heads, edge_t first, vertex_t tree,
                               const vertex_t* tree_of) {
    vertex_t differing = 0;
    for (edge_t e = first; e < first + stride; ++e) differing |= tree_of[heads.head(e)] ^ tree;
    return differing == 0;
  }

  RowsView rows_;
  const rank_t* min_ranks_;
  HostArray<Cursor> cursors_;
};

}  // namespace warpgraph::mst
