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
  /// Takes `min_ranks`, if not null, for a lower bound on the ranks of each row's arcs.
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
                   choice_t* choices) const;
  /// Searches along heads in another form than the rows' own. For sources that include
  /// row_search.hpp.
  template <class Heads>
  TreeRange search_along(const Heads& heads, vertex_t first, vertex_t last, const vertex_t* tree_of,
                         vertex_t giant, choice_t* choices) const;

 private:
  /// The number of a row's leading arcs that lie within a tree, and a lower bound on the ranks of
  /// the others: 0 if the row was not read yet.
  struct Cursor {
    rank_t n_passed;
    rank_t rank;
  };
  static constexpr rank_t exhausted = rank_of(no_choice);
  /// The number of rows that are prefetched together: about as many reads as a core has in flight.
  static constexpr vertex_t batch = 32;
  std::size_t select_rows(vertex_t first, vertex_t last, const vertex_t* tree_of, vertex_t giant,
                          const choice_t* choices, std::array<vertex_t, batch>& selected) const;
  /// Returns the position at which the scan of a row continues. Never called for exhausted rows.
  [[nodiscard]] edge_t next_position(vertex_t u) const {
    const edge_t e = rows_.offsets[u] + cursors_[u].n_passed;
    return e < rows_.n_arcs ? e : 0;
  }
  template <class RowHeads>
  edge_t skip_internal_arcs(const RowHeads& heads, vertex_t u, const vertex_t* tree_of) const;
  template <class RowHeads>
  bool lower_choice(const RowHeads& heads, vertex_t u, edge_t e, const vertex_t* tree_of,
                    choice_t* choices) const;

  RowsView rows_;
  const rank_t* min_ranks_;
  HostArray<Cursor> cursors_;
};

}  // namespace warpgraph::mst
