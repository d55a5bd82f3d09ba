// The distances of a vertex from all sources of a batch, and the relaxation of an arc for all of
// them at once with SIMD instructions.
#pragma once

#include "algorithms/many_to_many/batched/ranked_graph.hpp"
#include "core/processor/vectors.hpp"
#include "core/types.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace warpgraph::many_to_many_detail {

/// The sources of a batch. Their distances take one cache line per vertex with four bytes each, two
/// with eight. A batch of 32 uses vectors better, but its sources are spread wider, so vertices are
/// visited more often: equally fast on roads, slower on power-law graphs.
inline constexpr int batch_size = 16;

template <class W>
struct alignas(64) BatchDistances {
  W values[batch_size];
};

/// The active vertices, whose arcs have to be relaxed: a bit set of their ranks.
class RankSet {
 public:
  void reset(vertex_t n_ranks) { words_.assign(static_cast<std::size_t>(n_ranks) / 64 + 1, 0); }
  void insert(vertex_t rank) {
    words_[static_cast<std::size_t>(rank) / 64] |= std::uint64_t{1} << (rank % 64);
  }
  /// Removes the smallest rank that is at least `from` and returns it, or -1 if there is none.
  vertex_t pop_from(vertex_t from) {
    for (std::size_t word = static_cast<std::size_t>(from) / 64; word < words_.size(); ++word) {
      if (words_[word] == 0) continue;
      const int bit = std::countr_zero(words_[word]);
      words_[word] &= words_[word] - 1;
      return static_cast<vertex_t>(64 * word) + bit;
    }
    return -1;
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// Computes to = min(to, from + weight) for every source; returns true if any distance decreased.
template <int vector_bytes, class W>
[[gnu::always_inline]] inline bool relax_arc(const BatchDistances<W>& from, W weight,
                                             BatchDistances<W>& to) {
  using Number = shortest_paths::NonNegativeSum<W>;
  using Vector = typename VectorOf<Number, vector_bytes>::type;
  using Words = typename VectorOf<std::uint64_t, vector_bytes>::type;
  constexpr int n_vectors = batch_size * static_cast<int>(sizeof(W)) / vector_bytes;
  const auto* const source = reinterpret_cast<const Vector*>(from.values);
  auto* const target = reinterpret_cast<Vector*>(to.values);
  Vector through[n_vectors];
  Words less{};
#pragma GCC unroll 16
  for (int i = 0; i < n_vectors; ++i) {
    through[i] = source[i] + static_cast<Number>(weight);
    less |= (Words)(through[i] < target[i]);
  }
  std::uint64_t any = 0;
#pragma GCC unroll 16
  for (int i = 0; i < vector_bytes / 8; ++i) any |= less[i];
  if (any == 0) return false;
#pragma GCC unroll 16
  for (int i = 0; i < n_vectors; ++i) {
    target[i] = through[i] < target[i] ? through[i] : target[i];
  }
  return true;
}

/// Arcs between two calls of keep_on(): a fraction of a millisecond.
inline constexpr edge_t arcs_between_polls = 1 << 15;
/// The number of arcs ahead at which the distances of a head are prefetched.
inline constexpr edge_t prefetch_arcs = 8;

enum class SearchOutcome { converged, too_many_arcs, interrupted };

/// Corrects labels: relaxes the arcs of the active vertex of smallest rank until none is active.
/// Stops after about `max_arcs` arcs, or when keep_on() returns false.
template <int vector_bytes, class W, class KeepOn>
[[gnu::always_inline]] inline SearchOutcome relax_by_rank_with(const RankedGraph<W>& graph,
                                                               BatchDistances<W>* distances,
                                                               RankSet& active, edge_t max_arcs,
                                                               const KeepOn& keep_on) {
  const RankedArc<W>* const arcs = graph.arcs.data();
  const auto n_arcs = static_cast<edge_t>(graph.arcs.size());
  edge_t next_poll = 0;
  edge_t relaxed = 0;
  for (vertex_t u = active.pop_from(0); u >= 0;) {
    const edge_t begin = graph.offsets[static_cast<std::size_t>(u)];
    const edge_t end = graph.offsets[static_cast<std::size_t>(u) + 1];
    vertex_t least = u;
    for (edge_t e = begin; e < end; ++e) {
      if (e + prefetch_arcs < n_arcs) __builtin_prefetch(distances + arcs[e + prefetch_arcs].head);
      const vertex_t v = arcs[e].head;
      if (!relax_arc<vector_bytes>(distances[u], arcs[e].weight, distances[v])) continue;
      active.insert(v);
      least = std::min(least, v);
    }
    relaxed += end - begin;
    if (relaxed >= next_poll) {
      if (!keep_on()) return SearchOutcome::interrupted;
      if (relaxed > max_arcs) return SearchOutcome::too_many_arcs;
      next_poll = relaxed + arcs_between_polls;
    }
    u = active.pop_from(least);
  }
  return SearchOutcome::converged;
}

/// Relaxes by rank with the widest vectors of this machine, at most AVX2: longer ones gain nothing.
template <class W, class KeepOn>
SearchOutcome relax_by_rank(const RankedGraph<W>& graph, BatchDistances<W>* distances,
                            RankSet& active, edge_t max_arcs, const KeepOn& keep_on) {
  return with_widest_vectors([&]<int vector_bytes>() __attribute__((always_inline)) {
    return relax_by_rank_with<vector_bytes>(graph, distances, active, max_arcs, keep_on);
  });
}

}  // namespace warpgraph::many_to_many_detail
