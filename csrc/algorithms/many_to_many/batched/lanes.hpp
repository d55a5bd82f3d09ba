// The distances of one vertex from all sources of a batch, side by side, and the relaxation of an
// arc for all of them at once.
#pragma once

#include "algorithms/many_to_many/batched/ranked_graph.hpp"
#include "core/types.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace warpgraph::many_to_many_steps {

/// Sources of a batch. A vertex takes one cache line with four bytes a distance, two with eight.
/// With 32 the vectors are used better, but a batch is spread wider, and vertices are visited more
/// often: on roads that is equal, on power-law graphs worse.
inline constexpr int n_lanes = 16;

template <class W>
struct alignas(64) Lanes {
  W of[n_lanes];
};

/// Ranks whose vertices wait for their arcs to be relaxed.
class RankSet {
 public:
  void reset(vertex_t n_ranks) { words_.assign(static_cast<std::size_t>(n_ranks) / 64 + 1, 0); }
  void insert(vertex_t rank) {
    words_[static_cast<std::size_t>(rank) / 64] |= std::uint64_t{1} << (rank % 64);
  }
  /// Removes the least rank that is at least `from` and returns it, or -1.
  vertex_t take_from(vertex_t from) {
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

template <class Number, int bytes>
struct VectorOf {
  typedef Number type __attribute__((vector_size(bytes), may_alias));
};

/// to = min(to, from + weight) in every lane; whether that changed one. Integers are added as
/// unsigned ones: two that are not negative cannot wrap round, and what grows beyond infinity is
/// not smaller than it.
template <int vector_bytes, class W>
[[gnu::always_inline]] inline bool relax_lanes(const Lanes<W>& from, W weight, Lanes<W>& to) {
  using Number = typename std::conditional_t<std::is_integral_v<W>, std::make_unsigned<W>,
                                             std::type_identity<W>>::type;
  using Vector = typename VectorOf<Number, vector_bytes>::type;
  using Words = typename VectorOf<std::uint64_t, vector_bytes>::type;
  constexpr int n_vectors = n_lanes * static_cast<int>(sizeof(W)) / vector_bytes;
  const auto* const source = reinterpret_cast<const Vector*>(from.of);
  auto* const target = reinterpret_cast<Vector*>(to.of);
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

/// Arcs between two looks at whether to go on: a fraction of a millisecond.
inline constexpr edge_t arcs_between_polls = 1 << 15;
/// How many arcs ahead the lanes of a head are asked for.
inline constexpr edge_t lanes_ahead = 8;

enum class SweepEnd { settled, too_long, told_to_stop };

/// Relaxes the arcs of waiting vertices, always those of the least rank, until none waits.
template <int vector_bytes, class W, class KeepOn>
[[gnu::always_inline]] inline SweepEnd sweep_with(const RankedGraph<W>& graph, Lanes<W>* lanes,
                                                  RankSet& waiting, edge_t most_arcs,
                                                  const KeepOn& keep_on) {
  const RankedArc<W>* const arcs = graph.arcs.data();
  const auto n_arcs = static_cast<edge_t>(graph.arcs.size());
  edge_t next_poll = 0;
  edge_t relaxed = 0;
  for (vertex_t u = waiting.take_from(0); u >= 0;) {
    const edge_t begin = graph.offsets[static_cast<std::size_t>(u)];
    const edge_t end = graph.offsets[static_cast<std::size_t>(u) + 1];
    vertex_t least = u;
    for (edge_t e = begin; e < end; ++e) {
      if (e + lanes_ahead < n_arcs) __builtin_prefetch(lanes + arcs[e + lanes_ahead].head);
      const vertex_t v = arcs[e].head;
      if (!relax_lanes<vector_bytes>(lanes[u], arcs[e].weight, lanes[v])) continue;
      waiting.insert(v);
      least = std::min(least, v);
    }
    relaxed += end - begin;
    if (relaxed >= next_poll) {
      if (!keep_on()) return SweepEnd::told_to_stop;
      if (relaxed > most_arcs) return SweepEnd::too_long;
      next_poll = relaxed + arcs_between_polls;
    }
    u = waiting.take_from(least);
  }
  return SweepEnd::settled;
}

#if defined(__x86_64__)
template <class W, class KeepOn>
[[gnu::target("avx2")]] SweepEnd sweep_with_avx2(const RankedGraph<W>& graph, Lanes<W>* lanes,
                                                 RankSet& waiting, edge_t most_arcs,
                                                 const KeepOn& keep_on) {
  return sweep_with<32>(graph, lanes, waiting, most_arcs, keep_on);
}
#endif

/// The same with the widest vectors of this machine, AVX2's at most: longer ones gain nothing.
template <class W, class KeepOn>
SweepEnd sweep(const RankedGraph<W>& graph, Lanes<W>* lanes, RankSet& waiting, edge_t most_arcs,
               const KeepOn& keep_on) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    return sweep_with_avx2(graph, lanes, waiting, most_arcs, keep_on);
  }
#endif
  return sweep_with<16>(graph, lanes, waiting, most_arcs, keep_on);
}

}  // namespace warpgraph::many_to_many_steps
