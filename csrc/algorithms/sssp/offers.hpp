// How the threads of a search on CPU cores share the vertices of a round: each offers a list, takes
// pieces of its own, then of the others', and prefetches what the vertices ahead will need.
#pragma once

#include "algorithms/sssp/steps.hpp"
#include "core/atomics.hpp"
#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <span>

namespace warpgraph::sssp_steps {

/// Arcs for which a further thread is worth its barriers.
inline constexpr edge_t arcs_per_thread = 1 << 15;

inline int threads_for(edge_t n_arcs) {
  return static_cast<int>(std::clamp<edge_t>(n_arcs / arcs_per_thread, 1, edge_t{num_threads()}));
}

/// Vertices that a thread takes from an offer at a time.
inline constexpr std::int64_t piece = 64;

/// How far ahead in a list the memory of a vertex is asked for, and then that of its arcs. Vertices
/// of a round lie anywhere; without this, waiting for them is a third of the time on roads.
inline constexpr std::int64_t vertex_ahead = 16;
inline constexpr std::int64_t arcs_ahead = 8;

/// What a thread has for the next round. Others read it between two barriers.
struct alignas(64) Offer {
  const vertex_t* vertices = nullptr;
  std::int64_t size = 0;
  std::atomic<std::int64_t> taken{0};  // of `size`

  void set(const vertex_t* list, std::int64_t list_size) noexcept {
    vertices = list;
    size = list_size;
    taken.store(0, std::memory_order_relaxed);
  }
};

/// A graph whose distances a thread lowers. `shared`: others do so at the same time.
template <class W, bool shared>
class Relaxation {
 public:
  Relaxation(const CsrView<W>& graph, W limit, W* distance)
      : graph_(graph), limit_(limit), distance_(distance) {}

  W distance_of(vertex_t v) const { return shared ? relaxed_load(distance_[v]) : distance_[v]; }

  /// lowered(v, distance) for every vertex that an arc of u lowers.
  template <class Lowered>
  void relax(vertex_t u, W from, Lowered&& lowered) const {
    for (edge_t e = graph_.begin(u), end = graph_.end(u); e < end; ++e) {
      const vertex_t v = graph_.heads[e];
      const W through = extend(from, weight_of(graph_, e));
      if (through <= limit_ && lower_distance(v, through)) lowered(v, through);
    }
  }

  /// visit(u) for the vertices first..last of a list, which may grow meanwhile.
  template <class List, class Visit>
  void for_some(const List& vertices, std::int64_t first, std::int64_t last, Visit&& visit) const {
    for (std::int64_t i = first; i < last; ++i) {
      const auto size = static_cast<std::int64_t>(vertices.size());
      const auto vertex = [&](std::int64_t at) { return vertices[static_cast<std::size_t>(at)]; };
      if (i + vertex_ahead < size) prefetch_vertex(vertex(i + vertex_ahead));
      if (i + arcs_ahead < size) prefetch_arcs(vertex(i + arcs_ahead));
      visit(vertex(i));
    }
  }

  /// visit(u) for the vertices of an offer that nobody else takes.
  template <class Visit>
  void for_pieces(Offer& offer, const Team& team, Visit&& visit) const {
    const std::span vertices(offer.vertices, static_cast<std::size_t>(offer.size));
    while (keep_on(team)) {
      const std::int64_t first = offer.taken.fetch_add(piece, std::memory_order_relaxed);
      if (first >= offer.size) break;
      for_some(vertices, first, std::min(first + piece, offer.size), visit);
    }
  }

  /// Between pieces, so that a round of any size can be interrupted.
  static bool keep_on(const Team& team) {
    if (team.rank() == 0) poll();
    return !team.stopping();
  }

 private:
  bool lower_distance(vertex_t v, W to) const {
    if constexpr (shared) return lower(distance_[v], to);
    if (!(to < distance_[v])) return false;
    distance_[v] = to;
    return true;
  }

  // Left to itself, GCC takes a function that only prefetches for one without any effect, and drops
  // the calls of it.
  [[gnu::always_inline]] void prefetch_vertex(vertex_t u) const {
    __builtin_prefetch(distance_ + u);
    graph_.offsets.prefetch(u);
  }

  [[gnu::always_inline]] void prefetch_arcs(vertex_t u) const {
    const edge_t first = graph_.begin(u);
    __builtin_prefetch(graph_.heads + first);
    if (graph_.weights != nullptr) __builtin_prefetch(graph_.weights + first);
  }

  const CsrView<W> graph_;
  const W limit_;
  W* const distance_;
};

}  // namespace warpgraph::sssp_steps
