// How the threads of a search on CPU cores share the vertices of a round: each offers a list, takes
// pieces of its own, then of the others', and prefetches what the vertices ahead will need.
#pragma once

#include "core/atomics.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <atomic>
#include <span>

namespace warpgraph::shortest_paths {

/// Arcs for which a further thread is worth its barriers.
inline constexpr edge_t arcs_per_thread = 1 << 15;

inline int threads_for(edge_t n_arcs) {
  return static_cast<int>(std::clamp<edge_t>(n_arcs / arcs_per_thread, 1, edge_t{num_threads()}));
}

/// Vertices that a thread takes from an offer at a time: 256 arcs or so, the fewer the more arcs a
/// vertex has, so that no thread waits for long at the end of a round.
inline std::int64_t piece_of(const CsrPattern& graph) {
  return std::clamp<edge_t>(512 * edge_t{graph.n_vertices} / std::max<edge_t>(graph.n_arcs, 1), 16,
                            64);
}

/// How far ahead in a list the memory of a vertex is asked for, and then that of its arcs. Vertices
/// of a round lie anywhere; without this, waiting for them is a third of the time on roads.
inline constexpr std::int64_t vertex_ahead = 16;
inline constexpr std::int64_t arcs_ahead = 8;

/// The distance of u and where its arcs are. Left to itself, GCC takes a function that only
/// prefetches for one without any effect, and drops the calls of it.
template <class W>
[[gnu::always_inline]] inline void prefetch_vertex(const CsrView<W>& graph, const W* distance,
                                                   vertex_t u) {
  __builtin_prefetch(distance + u);
  graph.offsets.prefetch(u);
}

/// Brings the line of a place that will be written, and takes it from other cores at once; fetched
/// for reading, it would have to be asked for again.
template <class T>
[[gnu::always_inline]] inline void prefetch_for_write(const T* place) {
#if defined(__x86_64__)
  // GCC would make it a prefetch for reading, since the first processors of this kind, which do
  // nothing at this instruction, are among those that it compiles for.
  asm volatile("prefetchw %0" : : "m"(*place));
#else
  __builtin_prefetch(place, 1);
#endif
}

/// True if `to` was less. `shared`: others lower distances at the same time.
template <bool shared, class W>
bool lower_distance(W& distance, W to) {
  if constexpr (shared) return lower(distance, to);
  if (!(to < distance)) return false;
  distance = to;
  return true;
}

/// Between pieces, so that a round of any size can be interrupted.
inline bool may_go_on(const Team& team) {
  if (team.rank() == 0) poll();
  return !team.stopping();
}

/// A piece of a list, whose thread goes on to `end`. `fresh`: it begins here.
struct Range {
  std::int64_t first;
  std::int64_t last;
  std::int64_t end;
  bool fresh;
};

/// visit(range) for pieces of a list that nobody else takes, as long as the team goes on; `taken`
/// of its `size` items are somebody's. A list of one piece is its owner's: what sharing it takes is
/// as long as its work. Of a long one, threads take many pieces at a time, and fewer towards its
/// end.
template <class Visit>
void take_pieces(std::int64_t size, std::atomic<std::int64_t>& taken, std::int64_t piece,
                 bool is_owner, const Team& team, Visit&& visit) {
  if (size <= piece) {
    if (is_owner && size > 0 && may_go_on(team)) visit(Range{0, size, size, true});
    return;
  }
  // A look first: most lists that a thread comes to are taken, and looking disturbs nobody.
  for (std::int64_t seen; (seen = taken.load(std::memory_order_relaxed)) < size;) {
    const std::int64_t fair = (size - seen) / (team.size() == 1 ? 1 : 2 * team.size());
    const std::int64_t first = taken.fetch_add(std::max(piece, fair), std::memory_order_relaxed);
    const std::int64_t end = std::min(first + std::max(piece, fair), size);
    for (std::int64_t at = first; at < end; at += piece) {
      if (!may_go_on(team)) return;
      visit(Range{at, std::min(at + piece, end), end, at == first});
    }
  }
}

/// What a thread has for the next round: a list of vertices. Others read it between two barriers.
struct Offer {
  // Apart from the rest, which all read at once when a round begins.
  alignas(64) std::atomic<std::int64_t> taken{0};  // of `size`
  alignas(64) const vertex_t* items = nullptr;
  std::int64_t size = 0;

  void set(const vertex_t* list, std::int64_t list_size) noexcept {
    items = list;
    size = list_size;
    taken.store(0, std::memory_order_relaxed);
  }
};

/// A graph whose distances a thread lowers. `shared`: others do so at the same time.
template <class W, bool shared>
class Relaxation {
 public:
  Relaxation(const CsrView<W>& graph, W limit, W* distance)
      : graph_(graph), piece_(piece_of(graph)), limit_(limit), distance_(distance) {}

  W distance_of(vertex_t v) const { return shared ? relaxed_load(distance_[v]) : distance_[v]; }

  /// lowered(v, distance) for every vertex that an arc of u lowers.
  template <class Lowered>
  void relax(vertex_t u, W from, Lowered&& lowered) const {
    for (edge_t e = graph_.begin(u), end = graph_.end(u); e < end; ++e) {
      const vertex_t v = graph_.heads[e];
      const W through = extend(from, weight_of(graph_, e));
      if (through <= limit_ && lower_distance<shared>(distance_[v], through)) lowered(v, through);
    }
  }

  /// visit(u) for the vertices of an offer that nobody else takes.
  template <class Visit>
  void for_pieces(Offer& offer, bool is_owner, const Team& team, Visit&& visit) const {
    const vertex_t* const vertices = offer.items;
    take_pieces(offer.size, offer.taken, piece_, is_owner, team, [&](const Range& range) {
      for (std::int64_t i = range.first; i < range.last; ++i) {
        if (i + vertex_ahead < range.end)
          prefetch_vertex(graph_, distance_, vertices[i + vertex_ahead]);
        if (i + arcs_ahead < range.end) prefetch_arcs(vertices[i + arcs_ahead]);
        visit(vertices[i]);
      }
    });
  }

 private:
  [[gnu::always_inline]] void prefetch_arcs(vertex_t u) const {
    const edge_t first = graph_.begin(u);
    __builtin_prefetch(graph_.heads + first);
    if (graph_.weights != nullptr) __builtin_prefetch(graph_.weights + first);
  }

  const CsrView<W> graph_;
  const std::int64_t piece_;
  const W limit_;
  W* const distance_;
};

}  // namespace warpgraph::shortest_paths
