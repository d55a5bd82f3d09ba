// Work sharing between the threads of a search on CPU cores. In each round every thread publishes a
// list of vertices. It takes chunks of its own list first, then of the other threads' lists, and
// prefetches the distances and arcs of the vertices that follow.
#pragma once

#include "core/atomics.hpp"
#include "core/processor/instructions.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <atomic>

namespace warpgraph::shortest_paths {

/// Number of arcs per thread for which a further thread repays the cost of its barriers.
inline constexpr edge_t arcs_per_thread = 1 << 15;

inline int threads_for(edge_t n_arcs) {
  const edge_t worthwhile = n_arcs / arcs_per_thread;
  return worthwhile <= 1 ? 1 : static_cast<int>(std::min<edge_t>(worthwhile, threads_for_rounds()));
}

/// Returns the number of vertices of a chunk. It is inversely proportional to the mean degree, so
/// that a chunk has a few hundred arcs and no thread waits for long at the end of a round.
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

/// Lowers a distance to `to` and returns true if that is less. If `shared`, other threads lower
/// distances at the same time.
template <bool shared, class W>
bool lower_distance(W& distance, W to) {
  if constexpr (shared) return lower(distance, to);
  if (!(to < distance)) return false;
  distance = to;
  return true;
}

/// Polls on the calling thread. Returns false if the team is stopping. Called between chunks, so
/// that a round of any size can be interrupted.
inline bool may_go_on(const Team& team) {
  if (team.rank() == 0) poll();
  return !team.stopping();
}

/// The chunk first .. last of a list. Its thread has reserved a run of chunks that reaches to
/// `end`. `starts_run` marks the first chunk of the run.
struct Chunk {
  std::int64_t first;
  std::int64_t last;
  std::int64_t end;
  bool starts_run;
};

/// Calls visit(chunk) for the chunks of a list that this thread takes by guided self-scheduling,
/// until the list is used up or the team is stopping. `taken` of its `size` items have been taken.
/// A list of one chunk is left to its owner, since sharing it takes as long as its work. From a
/// long list a thread takes runs of many chunks, which become shorter towards the end of the list.
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

}  // namespace warpgraph::shortest_paths
