// The search for lightest edges along prepared rows, by CPU threads. Private to this folder.
//
// A row is looked at as little as will do. It remembers where its scan stopped, and the rank there:
// nothing that it has left is lighter. While its tree has a lighter choice already, and after some
// rows of a large tree nearly all the others find it so, the row is passed by without a look at its
// arcs. So a round reads 12 bytes a row in their order, and arcs here and there.
#pragma once

#include "algorithms/mst/sorted_rows/boruvka_rows.hpp"
#include "core/atomics.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace warpgraph::mst {

/// The trees that a search has offered edges to lie between these.
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
  /// `least`, if any, is a rank for each row that none of its arcs is below; then restart(0) comes
  /// before the first search.
  explicit HostRowSearch(const RowsView& rows, const rank_t* least = nullptr)
      : rows_(rows), least_(least), row_(zeroed(static_cast<std::size_t>(rows.n_vertices))) {}
  [[nodiscard]] static std::size_t bytes(vertex_t n_rows) noexcept {
    return static_cast<std::size_t>(n_rows) * sizeof(Row);
  }

  /// Forgets what is known about the rows from `first` on.
  void restart(vertex_t first) const {
    parallel_for(
        std::int64_t{rows_.n_vertices} - first,
        [&](std::int64_t i) {
          row_.get()[first + i] = {0, least_ != nullptr ? least_[first + i] : 0};
        },
        light_grain);
  }

  /// Lowers choices[tree] to the lightest edge that leaves the tree from the rows first .. last
  /// - 1. Rows of the tree `passive` are passed by. Threads may search different rows at the same
  /// time, and a row may have been searched by somebody else in any of the rounds before.
  TreeRange search(vertex_t first, vertex_t last, const vertex_t* tree_of, vertex_t passive,
                   choice_t* choices) const {
    TreeRange found;
    with_heads(rows_, [&](const auto& heads) {
      found = search_along(heads, first, last, tree_of, passive, choices);
    });
    return found;
  }

  /// The same while every vertex is a tree of its own: the first arc of each row it is.
  TreeRange search_first(vertex_t first, vertex_t last, choice_t* choices) const {
    TreeRange found;
    for (vertex_t u = first; u < last; ++u) {
      const edge_t begin = rows_.offsets[u];
      if (begin == rows_.offsets[std::int64_t{u} + 1]) continue;
      row_.get()[u] = {0, rows_.ranks[begin]};
      choices[u] = make_choice(rows_.ranks[begin], first_head(u, begin));
      found.add(u);
    }
    return found;
  }

 private:
  /// How many of a row's arcs are known to lie within a tree, and a rank that none of the others is
  /// below: 0 if nobody has looked yet.
  struct Row {
    rank_t n_passed = 0;
    rank_t rank = 0;
  };
  static constexpr rank_t exhausted = rank_of(no_choice);
  /// Rows whose memory is asked for at the same time: about as many reads as a core has under way.
  static constexpr vertex_t batch = 32;
  /// Arcs that a scan looks at together.
  static constexpr edge_t stride = 4;

  struct Free {
    void operator()(void* place) const noexcept { std::free(place); }
  };
  /// Pages that nobody touches take no time and no memory: most rows may be the device's.
  static std::unique_ptr<Row[], Free> zeroed(std::size_t n) {
    auto* const rows = static_cast<Row*>(std::calloc(std::max<std::size_t>(n, 1), sizeof(Row)));
    if (rows == nullptr) throw std::bad_alloc();
    return std::unique_ptr<Row[], Free>(rows);
  }

  [[nodiscard]] vertex_t first_head(vertex_t u, edge_t e) const {
    return rows_.heads != nullptr ? rows_.heads[e] : rows_.compressed.row(u).head(e);
  }

  template <class Heads>
  TreeRange search_along(const Heads& heads, vertex_t first, vertex_t last, const vertex_t* tree_of,
                         vertex_t passive, choice_t* choices) const {
    TreeRange found;
    std::array<vertex_t, batch> wanted;
    std::array<edge_t, batch> stops;
    for (vertex_t begin = first, end; begin < last; begin = end) {
      end = std::min(last - begin, batch) + begin;
      const std::size_t n = choose_rows(begin, end, tree_of, passive, choices, wanted);
      // Each of these reads waits for memory; asked for together, they wait once.
      if (rows_.heads != nullptr) {
        for (std::size_t i = 0; i < n; ++i) {
          __builtin_prefetch(tree_of + rows_.heads[stop(wanted[i])]);
        }
      }
      for (std::size_t i = 0; i < n; ++i) {
        stops[i] = pass_by(heads.row(wanted[i]), wanted[i], tree_of);
        __builtin_prefetch(rows_.ranks + stops[i]);
      }
      for (std::size_t i = 0; i < n; ++i) {
        const vertex_t u = wanted[i];
        if (offer(heads.row(u), u, stops[i], tree_of, choices)) found.add(tree_of[u]);
      }
    }
    return found;
  }

  /// Lists those of some rows that may have something to offer; returns how many they are.
  std::size_t choose_rows(vertex_t first, vertex_t last, const vertex_t* tree_of, vertex_t passive,
                          const choice_t* choices, std::array<vertex_t, batch>& wanted) const {
    std::size_t n = 0;
    for (vertex_t u = first; u < last; ++u) __builtin_prefetch(choices + tree_of[u]);
    for (vertex_t u = first; u < last; ++u) {
      const vertex_t tree = tree_of[u];
      const bool may_offer =
          tree != passive && row_.get()[u].rank < rank_of(relaxed_load(choices[tree]));
      wanted[n] = u;
      n += may_offer ? 1 : 0;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const edge_t e = stop(wanted[i]);
      if (rows_.heads != nullptr) __builtin_prefetch(rows_.heads + e);
    }
    return n;
  }

  /// Where the scan of a row stands. A row that is exhausted is never asked.
  [[nodiscard]] edge_t stop(vertex_t u) const {
    const edge_t e = rows_.offsets[u] + row_.get()[u].n_passed;
    return e < rows_.n_arcs ? e : 0;
  }

  /// The position of the row's first arc that leaves its tree, or the end. Trees only grow, so what
  /// is passed by is so for good; no look at ranks is needed for that.
  template <class RowHeads>
  edge_t pass_by(const RowHeads& heads, vertex_t u, const vertex_t* tree_of) const {
    const vertex_t tree = tree_of[u];
    const edge_t end = rows_.offsets[std::int64_t{u} + 1];
    edge_t e = rows_.offsets[u] + row_.get()[u].n_passed;
    while (e + stride <= end && lie_within(heads, e, tree, tree_of)) e += stride;
    while (e < end && tree_of[heads.head(e)] == tree) ++e;
    return e;
  }

  /// Remembers where a row stops. True if its arc there is lighter than what its tree has chosen.
  template <class RowHeads>
  bool offer(const RowHeads& heads, vertex_t u, edge_t e, const vertex_t* tree_of,
             choice_t* choices) const {
    const bool is_exhausted = e == rows_.offsets[std::int64_t{u} + 1];
    const rank_t rank = is_exhausted ? exhausted : rows_.ranks[e];
    row_.get()[u] = {static_cast<rank_t>(e - rows_.offsets[u]), rank};
    return !is_exhausted && lower(choices[tree_of[u]], make_choice(rank, tree_of[heads.head(e)]));
  }

  /// Whether `stride` arcs lie within a tree: without a branch for each.
  template <class RowHeads>
  static bool lie_within(const RowHeads& heads, edge_t first, vertex_t tree,
                         const vertex_t* tree_of) {
    vertex_t differing = 0;
    for (edge_t e = first; e < first + stride; ++e) differing |= tree_of[heads.head(e)] ^ tree;
    return differing == 0;
  }

  RowsView rows_;
  const rank_t* least_;
  std::unique_ptr<Row[], Free> row_;
};

}  // namespace warpgraph::mst
