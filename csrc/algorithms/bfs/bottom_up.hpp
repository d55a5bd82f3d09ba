// Bottom-up levels of the direction-optimising search on cores: each vertex that is not reached yet
// looks for a neighbour in the frontier. Both sets are bitmaps.
#pragma once

#include "algorithms/bfs/hop_predecessors.hpp"
#include "core/containers/bitmap.hpp"
#include "core/threads/parallel.hpp"
#include "core/types.hpp"
#include "graph/csr.hpp"
#include "primitives/search/bitmap_search.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

namespace warpgraph {

struct FrontierSize {
  std::int64_t vertices;
  edge_t arcs;  // that leave these vertices
  friend FrontierSize operator+(FrontierSize a, FrontierSize b) {
    return {a.vertices + b.vertices, a.arcs + b.arcs};
  }
};

/// Bitmap words per block of work. A thread owns whole words, so setting bits needs no atomics.
inline constexpr std::int64_t words_per_block = 64;

/// Calls visit(v) for the bits of word number w.
template <class Visit>
void for_each_bit(std::uint64_t bits, std::int64_t w, Visit&& visit) {
  for (; bits != 0; bits &= bits - 1) {
    visit(static_cast<vertex_t>(64 * w + std::countr_zero(bits)));
  }
}

template <bool with_predecessors>
class BottomUpLevels {
 public:
  /// `entering` has the arcs that enter each vertex. If `stops_at_first`, a vertex looks for no
  /// more neighbours after the first one in the frontier.
  BottomUpLevels(const CsrPattern& graph, const CsrPattern& entering, bool stops_at_first,
                 vertex_t* hops, SmallestTail* predecessors)
      : graph_(graph),
        entering_(entering),
        stops_at_first_(stops_at_first),
        hops_(hops),
        predecessors_(predecessors) {}

  [[nodiscard]] std::span<const std::uint64_t> frontier() noexcept { return frontier_.words(); }

  /// Sets the bits of the frontier, and of the vertices that a bottom-up level may reach: a vertex
  /// that no arc enters is not among them.
  void begin(vertex_t depth) {
    if (next_.words().empty()) {
      frontier_ = Bitmap(graph_.n_vertices);
      next_ = Bitmap(graph_.n_vertices);
      open_ = Bitmap(graph_.n_vertices);
    }
    parallel_for(
        std::ssize(open_.words()),
        [&](std::int64_t w) {
          std::uint64_t frontier = 0;
          std::uint64_t open = 0;
          const std::int64_t last = std::min<std::int64_t>(64 * w + 64, graph_.n_vertices);
          for (std::int64_t v = 64 * w; v < last; ++v) {
            const bool has_arcs = entering_.degree(static_cast<vertex_t>(v)) > 0;
            frontier |= static_cast<std::uint64_t>(hops_[v] == depth) << (v % 64);
            open |= static_cast<std::uint64_t>(hops_[v] == unreached && has_arcs) << (v % 64);
          }
          frontier_.words()[w] = frontier;
          open_.words()[w] = open;
        },
        words_per_block);
  }

  /// Reaches the vertices at depth + 1, which are the frontier then. `frontier_arcs` is the number
  /// of arcs that leave the frontier.
  FrontierSize advance(vertex_t depth, edge_t frontier_arcs) {
    depth_ = depth;
    reads_whole_rows_ = frontier_arcs < graph_.n_arcs / share_of_likely_hits;
    const FrontierSize found = parallel_reduce(
        std::ssize(next_.words()), FrontierSize{0, 0},
        [&](std::int64_t w) { return search_word(w); }, std::plus<>{}, words_per_block);
    std::swap(frontier_, next_);
    return found;
  }

 private:
  /// Vectors take half of the time where fewer than 1 / share_of_likely_hits of all arcs leave the
  /// frontier: most rows are read to their end. Otherwise a row's first arcs lead there.
  static constexpr edge_t share_of_likely_hits = 3;

  /// Searches for a frontier vertex the arcs that enter each open vertex of a word. Moves the bits
  /// of the vertices reached.
  FrontierSize search_word(std::int64_t w) {
    constexpr int prefetch_distance = 16;  // about the latency of a memory access
    vertex_t open[64];
    int n_open = 0;
    for_each_bit(open_.words()[w], w, [&](vertex_t v) { open[n_open++] = v; });
    FrontierSize found{0, 0};
    std::uint64_t word = 0;
    for (int i = 0; i < n_open; ++i) {
      const vertex_t v = open[i];
      // Beyond the word, the row of the vertex 64 further on stands in for the next open one.
      const vertex_t ahead = i + prefetch_distance < n_open ? open[i + prefetch_distance]
                             : v < graph_.n_vertices - 64   ? v + 64
                                                            : v;
      prefetch(&entering_.heads[entering_.begin(ahead)]);
      if (!has_neighbour_in_frontier(v)) continue;
      hops_[v] = depth_ + 1;
      word |= std::uint64_t{1} << (v % 64);
      found = found + FrontierSize{1, graph_.degree(v)};
    }
    next_.words()[w] = word;
    open_.words()[w] &= ~word;
    return found;
  }

  /// Prefetches the part of a row that will be read.
  [[gnu::always_inline]] void prefetch(const vertex_t* row) const {
    constexpr int lines_of_whole_row = 3;
    constexpr int vertices_per_line = 64 / sizeof(vertex_t);
    const int n_lines = reads_whole_rows_ ? lines_of_whole_row : 1;
    for (int i = 0; i < n_lines; ++i) __builtin_prefetch(row + i * vertices_per_line);
  }

  /// Returns whether v has a neighbour in the frontier. Its predecessor becomes the smallest one,
  /// which is the first one if heads ascend.
  bool has_neighbour_in_frontier(vertex_t v) {
    SmallestTail smallest = no_tail;
    const vertex_t* const end = entering_.heads + entering_.end(v);
    for (const vertex_t* u = entering_.heads + entering_.begin(v); (u = find(u, end)) != end; ++u) {
      smallest = smaller_tail(smallest, *u);
      if (stops_at_first_) break;
    }
    if constexpr (with_predecessors) predecessors_[v] = smallest;
    return smallest != no_tail;
  }

  const vertex_t* find(const vertex_t* first, const vertex_t* last) {
    const std::uint64_t* const bits = frontier_.words().data();
    return reads_whole_rows_ ? find_in_whole_row_(bits, first, last)
                             : find_in_bitmap(bits, first, last);
  }

  const CsrPattern& graph_;
  const CsrPattern& entering_;
  const bool stops_at_first_;
  vertex_t* const hops_;
  SmallestTail* const predecessors_;
  const BitmapSearch find_in_whole_row_ = fastest_bitmap_search();
  bool reads_whole_rows_ = false;  // on this level: few heads are in the frontier
  vertex_t depth_ = 0;
  Bitmap frontier_{0};
  Bitmap next_{0};
  Bitmap open_{0};
};

}  // namespace warpgraph
