// Work sharing between the threads of a search on CPU cores. In each round every thread publishes a
// list of vertices. It takes chunks of its own list first, then of the other threads' lists, and
// prefetches the distances and arcs of the vertices that follow.
#pragma once

#include "core/atomics.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <atomic>
#include <span>

namespace warpgraph::shortest_paths {

/// Arcs per thread for which a further thread repays the cost of its barriers.
inline constexpr edge_t arcs_per_thread = 1 << 15;

inline int threads_for(edge_t n_arcs) {
  return static_cast<int>(std::clamp<edge_t>(n_arcs / arcs_per_thread, 1, edge_t{num_threads()}));
}

/// Vertices of a chunk. Inversely proportional to the mean degree, so that a chunk has a few
/// hundred arcs and no thread waits for long at the end of a round.
inline std::int64_t chunk_size_of(const CsrPattern& graph) {
  return std::clamp<edge_t>(512 * edge_t{graph.n_vertices} / std::max<edge_t>(graph.n_arcs, 1), 16,
                            64);
}

/// Prefetch distances in a list: of a vertex's data, and then of its arcs. The vertices of a round
/// are scattered in memory; without prefetching, cache misses take a third of the time on roads.
inline constexpr std::int64_t vertex_ahead = 16;
inline constexpr std::int64_t arcs_ahead = 8;

/// Prefetches the distance of u and the offset of its arcs. Always inlined, because GCC regards a
/// function that only prefetches as free of side effects and removes the calls of it.
template <class W>
[[gnu::always_inline]] inline void prefetch_vertex(const CsrView<W>& graph, const W* distance,
                                                   vertex_t u) {
  __builtin_prefetch(distance + u);
  graph.offsets.prefetch(u);
}

/// Fetches a cache line for writing, in exclusive state. A line that was fetched for reading would
/// need a second request at the write.
template <class T>
[[gnu::always_inline]] inline void prefetch_for_write(const T* place) {
#if defined(__x86_64__)
  // GCC compiles __builtin_prefetch(place, 1) to a prefetch for reading here, since its default
  // target includes the first x86-64 processors, for which prefetchw is a no-op.
  asm volatile("prefetchw %0" : : "m"(*place));
#else
  __builtin_prefetch(place, 1);
#endif
}

/// True if `to` was less. `shared`: other threads lower distances at the same time.
template <bool shared, class W>
bool lower_distance(W& distance, W to) {
  if constexpr (shared) return lower(distance, to);
  if (!(to < distance)) return false;
  distance = to;
  return true;
}

/// Polls on the calling thread. False if the team is stopping. Called between chunks, so that a
/// round of any size can be interrupted.
inline bool may_go_on(const Team& team) {
  if (team.rank() == 0) poll();
  return !team.stopping();
}

/// The chunk first .. last of a list. Its thread has reserved a run of chunks that reaches to
/// `end`. `starts_run`: this is the first chunk of the run.
struct Chunk {
  std::int64_t first;
  std::int64_t last;
  std::int64_t end;
  bool starts_run;
};

/// Guided self-scheduling: visit(chunk) for the chunks of a list that this thread takes, until the
/// list is used up or the team is stopping. `taken` of its `size` items have been taken. A list of
/// one chunk is left to its owner, since sharing it takes as long as its work. From a long list a
/// thread takes runs of many chunks, which become shorter towards the end of the list.
template <class Visit>
void take_chunks(std::int64_t size, std::atomic<std::int64_t>& taken, std::int64_t chunk_size,
                 bool is_owner, const Team& team, Visit&& visit) {
  if (size <= chunk_size) {
    if (is_owner && size > 0 && may_go_on(team)) visit(Chunk{0, size, size, true});
    return;
  }
  // Reads before the atomic addition: most lists that a thread visits are used up, and a read does
  // not invalidate the other threads' copies of the line.
  for (std::int64_t seen; (seen = taken.load(std::memory_order_relaxed)) < size;) {
    const std::int64_t guided = (size - seen) / (team.size() == 1 ? 1 : 2 * team.size());
    const std::int64_t first =
        taken.fetch_add(std::max(chunk_size, guided), std::memory_order_relaxed);
    const std::int64_t end = std::min(first + std::max(chunk_size, guided), size);
    for (std::int64_t at = first; at < end; at += chunk_size) {
      if (!may_go_on(team)) return;
      visit(Chunk{at, std::min(at + chunk_size, end), end, at == first});
    }
  }
}

/// A work-sharing list: the vertices that a thread publishes for the next round. Other threads read
/// it between two barriers.
struct SharedList {
  // In a cache line of its own: the other members are read by all threads when a round begins.
  alignas(64) std::atomic<std::int64_t> taken{0};  // of `size`
  alignas(64) const vertex_t* items = nullptr;
  std::int64_t size = 0;

  void set(const vertex_t* list, std::int64_t list_size) noexcept {
    items = list;
    size = list_size;
    taken.store(0, std::memory_order_relaxed);
  }
};

/// Relaxes arcs on one thread. `shared`: other threads lower distances at the same time.
template <class W, bool shared>
class Relaxation {
 public:
  Relaxation(const CsrView<W>& graph, W limit, W* distance)
      : graph_(graph), chunk_size_(chunk_size_of(graph)), limit_(limit), distance_(distance) {}

  W distance_of(vertex_t v) const { return shared ? relaxed_load(distance_[v]) : distance_[v]; }

  /// on_lowered(v, distance) for every vertex whose distance an arc of u lowers.
  template <class OnLowered>
  void relax(vertex_t u, W from, OnLowered&& on_lowered) const {
    for (edge_t e = graph_.begin(u), end = graph_.end(u); e < end; ++e) {
      const vertex_t v = graph_.heads[e];
      const W through = extend(from, weight_of(graph_, e));
      if (through <= limit_ && lower_distance<shared>(distance_[v], through))
        on_lowered(v, through);
    }
  }

  /// visit(u) for the vertices of a list that this thread takes.
  template <class Visit>
  void take_vertices(SharedList& list, bool is_owner, const Team& team, Visit&& visit) const {
    const vertex_t* const vertices = list.items;
    take_chunks(list.size, list.taken, chunk_size_, is_owner, team, [&](const Chunk& chunk) {
      for (std::int64_t i = chunk.first; i < chunk.last; ++i) {
        if (i + vertex_ahead < chunk.end)
          prefetch_vertex(graph_, distance_, vertices[i + vertex_ahead]);
        if (i + arcs_ahead < chunk.end) prefetch_arcs(vertices[i + arcs_ahead]);
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
  const std::int64_t chunk_size_;
  const W limit_;
  W* const distance_;
};

}  // namespace warpgraph::shortest_paths
