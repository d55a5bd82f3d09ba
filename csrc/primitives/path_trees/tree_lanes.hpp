// The distances of a vertex from many sources, side by side, and its predecessors for all of them
// at once. For trees.cpp alone.
#pragma once

#include "core/types.hpp"
#include "primitives/path_trees/trees.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace warpgraph::shortest_paths {

/// Sources side by side: one cache line of distances, or two with eight bytes a distance. Exact
/// distances of eight bytes that fit four, or two, become such.
template <class L>
inline constexpr int tree_lanes = sizeof(L) == 2 ? 32 : 16;

template <class T, int lanes>
struct alignas(64) TreeLanes {
  T of[lanes];
};

/// What predecessors are found as: numbers as wide as distances, but not wider than a vertex.
template <class L>
using TreeIndex = std::conditional_t<sizeof(L) == 2, std::int16_t, vertex_t>;

/// Vertices to look at, of a graph whose arcs lead backwards, and where their predecessors go.
template <class L>
struct TreeStep {
  CsrView<L> turned;
  const TreeLanes<L, tree_lanes<L>>* distances;
  TreeLanes<TreeIndex<L>, tree_lanes<L>>* predecessors;
  /// Sums in any order: what d[u] + w may exceed d[v] by, relative to it.
  L tolerance;
  /// Of each source, how many vertices it reaches have no predecessor yet, itself included.
  TreeLanes<vertex_t, tree_lanes<L>>* missing;
};

template <class Number, int bytes>
struct TreeVector {
  typedef Number type __attribute__((vector_size(bytes), may_alias));
};

/// The predecessors of the vertices first .. last. Tails come largest first, so that of several
/// equally good ones the smallest is kept. Integers are added as unsigned ones: two that are not
/// negative cannot wrap round.
template <int vector_bytes, Sums sums, class W>
[[gnu::always_inline]] inline void hang_lanes(const TreeStep<W>& step, vertex_t first,
                                              vertex_t last) {
  using Number = typename std::conditional_t<std::is_integral_v<W>, std::make_unsigned<W>,
                                             std::type_identity<W>>::type;
  using Index = std::conditional_t<sizeof(W) == 8, std::int64_t, TreeIndex<W>>;
  using Vector = typename TreeVector<Number, vector_bytes>::type;
  using Indices = typename TreeVector<Index, vector_bytes>::type;
  constexpr int per_vector = vector_bytes / static_cast<int>(sizeof(W));
  constexpr int n_vectors = tree_lanes<W> / per_vector;
  constexpr auto far = static_cast<Number>(infinity<W>());
  constexpr auto none = static_cast<Index>(no_vertex);
  Indices missing[n_vectors] = {};
  for (vertex_t v = first; v < last; ++v) {
    const auto* const to = reinterpret_cast<const Vector*>(step.distances[v].of);
    Vector best[n_vectors];
    Indices tail[n_vectors];
#pragma GCC unroll 16
    for (int i = 0; i < n_vectors; ++i) {
      tail[i] = Indices{} + none;
      best[i] = to[i];
      if constexpr (sums == Sums::in_any_order) best[i] += to[i] * step.tolerance;
    }
    for (edge_t e = step.turned.end(v) - 1, end = step.turned.begin(v); e >= end; --e) {
      const vertex_t u = step.turned.heads[e];
      const auto weight = static_cast<Number>(step.turned.weights[e]);
      const auto* const from = reinterpret_cast<const Vector*>(step.distances[u].of);
      // What an integer is added to is less than the sum, where that is a distance at all.
      if (std::is_integral_v<W> && weight != 0) {
#pragma GCC unroll 16
        for (int i = 0; i < n_vectors; ++i) {
          tail[i] = from[i] + weight == best[i] ? Indices{} + static_cast<Index>(u) : tail[i];
        }
        continue;
      }
#pragma GCC unroll 16
      for (int i = 0; i < n_vectors; ++i) {
        const Vector through = from[i] + weight;
        if constexpr (sums == Sums::in_any_order) {
          const Indices better = (through <= best[i]) & (from[i] < to[i]);
          best[i] = better ? through : best[i];
          tail[i] = better ? Indices{} + static_cast<Index>(u) : tail[i];
        } else {
          const Indices tight = (through == best[i]) & (from[i] < to[i]);
          tail[i] = tight ? Indices{} + static_cast<Index>(u) : tail[i];
        }
      }
    }
    for (int i = 0; i < n_vectors; ++i) {
      const Indices reached = to[i] != far;
      tail[i] |= ~reached;  // all bits set: no_vertex
      missing[i] -= reached & (tail[i] < 0);
      if constexpr (std::is_same_v<Index, TreeIndex<W>>) {
        reinterpret_cast<Indices*>(step.predecessors[v].of)[i] = tail[i];
      } else {
        for (int j = 0; j < per_vector; ++j) {
          step.predecessors[v].of[i * per_vector + j] = static_cast<vertex_t>(tail[i][j]);
        }
      }
    }
  }
  for (int i = 0; i < tree_lanes<W>; ++i) {
    step.missing->of[i] += static_cast<vertex_t>(missing[i / per_vector][i % per_vector]);
  }
}

/// The largest finite distance of a row, none of which is negative.
template <int vector_bytes, class W>
[[gnu::always_inline]] inline W farthest_by_vectors(const W* row, vertex_t n) {
  using Vector = typename TreeVector<W, vector_bytes>::type;
  typedef W Anywhere __attribute__((vector_size(vector_bytes), may_alias, aligned(sizeof(W))));
  constexpr int per_vector = vector_bytes / static_cast<int>(sizeof(W));
  constexpr int n_vectors = 2;  // that do not wait for each other
  const Vector far = Vector{} + infinity<W>();
  Vector most[n_vectors] = {};
  vertex_t v = 0;
  for (; v + n_vectors * per_vector <= n; v += n_vectors * per_vector) {
#pragma GCC unroll 2
    for (int i = 0; i < n_vectors; ++i) {
      const Vector there = *reinterpret_cast<const Anywhere*>(row + v + i * per_vector);
      const Vector finite = there < far ? there : Vector{};
      most[i] = finite > most[i] ? finite : most[i];
    }
  }
  W farthest{0};
  for (const Vector& some : most) {
    for (int i = 0; i < per_vector; ++i) farthest = std::max<W>(farthest, some[i]);
  }
  for (; v < n; ++v) farthest = row[v] < infinity<W>() ? std::max(farthest, row[v]) : farthest;
  return farthest;
}

#if defined(__x86_64__)
template <class W>
[[gnu::target("avx2")]] W farthest_avx2(const W* row, vertex_t n) {
  return farthest_by_vectors<32>(row, n);
}

template <Sums sums, class W>
[[gnu::target("avx2")]] void hang_lanes_avx2(const TreeStep<W>& step, vertex_t first,
                                             vertex_t last) {
  hang_lanes<32, sums>(step, first, last);
}
#endif

// The same with the widest vectors of this machine, AVX2's at most.

template <class W>
W farthest_in_row(const W* row, vertex_t n) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return farthest_avx2(row, n);
#endif
  return farthest_by_vectors<16>(row, n);
}

template <Sums sums, class W>
void hang(const TreeStep<W>& step, vertex_t first, vertex_t last) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return hang_lanes_avx2<sums>(step, first, last);
#endif
  hang_lanes<16, sums>(step, first, last);
}

}  // namespace warpgraph::shortest_paths
