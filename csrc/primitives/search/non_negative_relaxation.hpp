// Relaxing arcs of weight >= 0 in batches, on CPU cores.
//
// Whether an arc lowers its head is hard to predict, and mostly it does not. So a first pass over
// the arcs of many vertices has no branch: it writes each arc as a candidate, and advances the
// output position only if the arc would lower its head. A second pass relaxes the candidates alone.
// That keeps dozens of reads of distances in flight.
#pragma once

#include "primitives/search/work_sharing.hpp"

#include <array>

namespace warpgraph::shortest_paths {

/// A vertex and a distance that it was lowered to. If the vertex has a smaller distance now, the
/// entry is outdated, and another entry has that distance: so no vertex is relaxed twice from the
/// same distance.
template <class W>
struct Lowered {
  W distance;
  vertex_t vertex;
};

/// A part of the arcs of a vertex of high degree.
template <class W>
struct ArcRange {
  Lowered<W> tail;
  edge_t first;
  edge_t last;
};

/// Relaxation of arcs in batches. If `shared`, other threads lower distances at the same time.
template <class W, bool shared>
class NonNegativeRelaxation {
  using Sum = NonNegativeSum<W>;

 public:
  NonNegativeRelaxation(const CsrView<W>& graph, W limit, W* distance)
      : graph_(graph), limit_(limit), distance_(distance) {}

  [[nodiscard]] W distance_of(vertex_t v) const {
    return shared ? relaxed_load(distance_[v]) : distance_[v];
  }

  /// Skips entries and sums above this limit from now on.
  void tighten(W limit) { limit_ = std::min(limit_, limit); }

  [[nodiscard]] bool is_current(const Lowered<W>& entry) const {
    return distance_of(entry.vertex) == entry.distance;
  }

  /// Relaxes the arcs of the entries in the chunk, and calls put(entry) for each head that is
  /// lowered. A vertex that has more than `max_arcs` arcs is not relaxed, but passed to
  /// set_aside(entry). `entries` may grow meanwhile. Returns the number of entries that were not
  /// outdated.
  template <class List, class Put, class SetAside>
  std::int64_t relax(const List& entries, const Chunk& chunk, edge_t max_arcs, Put&& put,
                     SetAside&& set_aside) {
    const auto [first, last, end, starts_run] = chunk;
    // Arcs of outdated entries are not prefetched: the vertices of an R-MAT graph are lowered
    // several times each, and that saves a sixth of the time. With few arcs, to look takes longer.
    const bool looks_ahead = graph_.n_arcs / 8 > graph_.n_vertices;
    if (starts_run) {
      for (std::int64_t i = first; i < std::min(first + vertex_ahead, end); ++i) {
        prefetch_vertex(graph_, distance_, entries[i].vertex);
      }
      for (std::int64_t i = first; i < std::min(first + arcs_ahead, end); ++i) {
        prefetch_arcs(entries[i].vertex);
      }
    }
    std::int64_t relaxed = 0;
    for (std::int64_t i = first; i < last; ++i) {
      if (i + vertex_ahead < end)
        prefetch_vertex(graph_, distance_, entries[i + vertex_ahead].vertex);
      if (i + arcs_ahead < end && (!looks_ahead || is_current(entries[i + arcs_ahead]))) {
        prefetch_arcs(entries[i + arcs_ahead].vertex);
      }
      const Lowered<W> tail = entries[i];
      if (!is_current(tail) || tail.distance > limit_) continue;
      ++relaxed;
      const edge_t begin_arc = graph_.begin(tail.vertex);
      const edge_t end_arc = graph_.end(tail.vertex);
      n_relaxed_ += end_arc - begin_arc;
      if (end_arc - begin_arc > max_arcs) {
        set_aside(tail);
      } else {
        collect(tail.distance, begin_arc, end_arc, put);
      }
    }
    lower_candidates(put);
    return relaxed;
  }

  /// Returns the number of arcs of all entries so far that were not outdated.
  [[nodiscard]] edge_t n_relaxed() const { return n_relaxed_; }

  /// Returns whether all sums of integers so far fit W. Always true for floats.
  [[nodiscard]] bool fits_all() const {
    return !std::is_integral_v<W> || highest_sum_ < static_cast<Sum>(infinity<W>());
  }

  template <class Put>
  void relax(const ArcRange<W>& arcs, Put&& put) {
    if (!is_current(arcs.tail)) return;
    collect(arcs.tail.distance, arcs.first, arcs.last, put);
    lower_candidates(put);
  }

 private:
  /// Prefetch distance in the list of candidates. A locked instruction waits for its cache line and
  /// is not overtaken by later ones. Where cores do not share a cache, a line that another core
  /// wrote last takes 200 ns instead of 40: without prefetching, two threads are slower than one
  /// there on power-law graphs.
  static constexpr std::int64_t writes_ahead = 16;
  static constexpr edge_t arcs_at_once = 512;  // 8 or 16 KB of candidates stay in the L1 cache

  template <class Put>
  void collect(W from, edge_t first, edge_t last, Put&& put) {
    while (first < last) {
      const edge_t next = std::min(last, first + arcs_at_once);
      if (graph_.weights != nullptr) {
        collect_some(from, first, next,
                     [weights = graph_.weights](edge_t e) { return weights[e]; });
      } else {
        collect_some(from, first, next, [](edge_t) { return W{1}; });
      }
      if (n_candidates_ >= arcs_at_once) lower_candidates(put);
      first = next;
    }
  }

  template <class WeightOf>
  void collect_some(W from, edge_t first, edge_t last, WeightOf&& weight_at) {
    const vertex_t* const heads = graph_.heads;
    const auto limit = static_cast<Sum>(limit_);
    Sum highest = highest_sum_;
    Lowered<W>* candidate = candidates_.data() + n_candidates_;
    for (edge_t e = first; e < last; ++e) {
      const vertex_t v = heads[e];
      const Sum through = static_cast<Sum>(from) + static_cast<Sum>(weight_at(e));
      *candidate = {static_cast<W>(through), v};
      const auto before = static_cast<Sum>(distance_of(v));
      candidate += static_cast<int>(through < before) & static_cast<int>(through <= limit);
      if constexpr (std::is_integral_v<W>) highest = std::max(highest, through);
    }
    highest_sum_ = highest;
    n_candidates_ = candidate - candidates_.data();
  }

  template <class Put>
  void lower_candidates(Put&& put) {
    const std::int64_t size = std::exchange(n_candidates_, 0);
    prefetch_candidates(0, std::min(size, writes_ahead));
    for (std::int64_t i = 0; i < size; ++i) {
      prefetch_candidates(i + writes_ahead, std::min(size, i + writes_ahead + 1));
      const Lowered<W> candidate = candidates_[static_cast<std::size_t>(i)];
      if (lower_distance<shared>(distance_[candidate.vertex], candidate.distance)) put(candidate);
    }
  }

  void prefetch_candidates(std::int64_t first, std::int64_t last) const {
    if constexpr (!shared) return;
    for (std::int64_t i = first; i < last; ++i) {
      prefetch_for_write(distance_ + candidates_[static_cast<std::size_t>(i)].vertex);
    }
  }

  /// Prefetches the arcs of u. Lists of a few dozen arcs are prefetched as a whole. In longer ones
  /// the hardware prefetcher detects the stream.
  [[gnu::always_inline]] void prefetch_arcs(vertex_t u) const {
    constexpr edge_t line = 64 / static_cast<edge_t>(sizeof(vertex_t));
    constexpr edge_t most = 8 * line;
    const edge_t first = graph_.begin(u);
    const edge_t last = std::min(graph_.end(u), first + most);
    __builtin_prefetch(graph_.heads + first);
    if (graph_.weights != nullptr) __builtin_prefetch(graph_.weights + first);
    for (edge_t e = first + line; e < last; e += line) {
      __builtin_prefetch(graph_.heads + e);
      if (graph_.weights != nullptr) __builtin_prefetch(graph_.weights + e);
    }
  }

  const CsrView<W> graph_;
  W limit_;
  W* const distance_;
  Sum highest_sum_{};
  edge_t n_relaxed_ = 0;
  std::int64_t n_candidates_ = 0;
  std::array<Lowered<W>, 2 * arcs_at_once> candidates_;
};

}  // namespace warpgraph::shortest_paths
