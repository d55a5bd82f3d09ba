// Finds predecessors for a batch of sources with SIMD instructions. The distances of a vertex from
// the sources of the batch are consecutive. Only for trees.cpp.
#pragma once

#include "core/processor/vectors.hpp"
#include "core/types.hpp"
#include "primitives/path_trees/trees.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace warpgraph::shortest_paths {

/// Number of sources of a batch: one cache line of distances, or two if a distance has eight bytes.
/// Exact distances are narrowed to four or two bytes if they fit.
template <class L>
inline constexpr int tree_batch_size = sizeof(L) == 2 ? 32 : 16;

/// The values of a vertex for the sources of a batch.
template <class T, int size>
struct alignas(64) BatchValues {
  T values[size];
};

/// The type of predecessors in a batch: as wide as a distance, but not wider than a vertex.
template <class L>
using TreeIndex = std::conditional_t<sizeof(L) == 2, std::int16_t, vertex_t>;

/// The transposed graph, the distances of a batch, and the destination of the predecessors.
template <class L>
struct TreeBatch {
  CsrView<L> transposed;
  const BatchValues<L, tree_batch_size<L>>* distances;
  BatchValues<TreeIndex<L>, tree_batch_size<L>>* predecessors;
  /// Tolerance of sums in any order: how much d[u] + w may exceed d[v], relative to d[v].
  L tolerance;
  /// Number of reached vertices without a predecessor for each source, including the source.
  BatchValues<vertex_t, tree_batch_size<L>>* missing;
};

/// Tries a tail u with the distances `from` for a vertex with the distances `to`. `best` are the
/// least sums; without a tail yet, the largest admissible ones.
template <Sums sums, class W, class Number, int n_vectors, class Vector, class Indices, class Index>
[[gnu::always_inline]] inline void try_tail(const Vector* from, const Vector* to, Number weight,
                                            Index u, Vector (&best)[n_vectors],
                                            Indices (&tail)[n_vectors]) {
  // Adding a positive integer gives a larger sum, so a tail with a tight arc is strictly nearer if
  // v is reached at all.
  if (std::is_integral_v<W> && weight != 0) {
#pragma GCC unroll 16
    for (int i = 0; i < n_vectors; ++i) {
      tail[i] = from[i] + weight == best[i] ? Indices{} + u : tail[i];
    }
    return;
  }
#pragma GCC unroll 16
  for (int i = 0; i < n_vectors; ++i) {
    const Vector through = from[i] + weight;
    if constexpr (sums == Sums::in_any_order) {
      const Indices better = (through <= best[i]) & (from[i] < to[i]);
      best[i] = better ? through : best[i];
      tail[i] = better ? Indices{} + u : tail[i];
    } else {
      const Indices tight = (through == best[i]) & (from[i] < to[i]);
      tail[i] = tight ? Indices{} + u : tail[i];
    }
  }
}

/// Finds the predecessors of the vertices first .. last. Tails come in descending order; of equally
/// good ones the last, which is the smallest, is kept.
template <int vector_bytes, Sums sums, class W>
[[gnu::always_inline]] inline void attach_by_vectors(const TreeBatch<W>& batch, vertex_t first,
                                                     vertex_t last) {
  using Number = NonNegativeSum<W>;
  using Index = std::conditional_t<sizeof(W) == 8, std::int64_t, TreeIndex<W>>;
  using Vector = typename VectorOf<Number, vector_bytes>::type;
  using Indices = typename VectorOf<Index, vector_bytes>::type;
  constexpr int per_vector = vector_bytes / static_cast<int>(sizeof(W));
  constexpr int n_vectors = tree_batch_size<W> / per_vector;
  constexpr auto infinite = static_cast<Number>(infinity<W>());
  constexpr auto none = static_cast<Index>(no_vertex);
  Indices missing[n_vectors] = {};
  for (vertex_t v = first; v < last; ++v) {
    const auto* const to = reinterpret_cast<const Vector*>(batch.distances[v].values);
    Vector best[n_vectors];
    Indices tail[n_vectors];
#pragma GCC unroll 16
    for (int i = 0; i < n_vectors; ++i) {
      tail[i] = Indices{} + none;
      best[i] = to[i];
      if constexpr (sums == Sums::in_any_order) best[i] += to[i] * batch.tolerance;
    }
    for (edge_t e = batch.transposed.end(v) - 1, end = batch.transposed.begin(v); e >= end; --e) {
      const vertex_t u = batch.transposed.heads[e];
      const auto weight = static_cast<Number>(batch.transposed.weights[e]);
      const auto* const from = reinterpret_cast<const Vector*>(batch.distances[u].values);
      try_tail<sums, W>(from, to, weight, static_cast<Index>(u), best, tail);
    }
    for (int i = 0; i < n_vectors; ++i) {
      const Indices reached = to[i] != infinite;
      tail[i] |= ~reached;  // all bits set: no_vertex
      missing[i] -= reached & (tail[i] < 0);
      if constexpr (std::is_same_v<Index, TreeIndex<W>>) {
        reinterpret_cast<Indices*>(batch.predecessors[v].values)[i] = tail[i];
      } else {
        for (int j = 0; j < per_vector; ++j) {
          batch.predecessors[v].values[i * per_vector + j] = static_cast<vertex_t>(tail[i][j]);
        }
      }
    }
  }
  for (int i = 0; i < tree_batch_size<W>; ++i) {
    batch.missing->values[i] += static_cast<vertex_t>(missing[i / per_vector][i % per_vector]);
  }
}

/// Returns the largest finite distance of a row. Distances are not negative.
template <int vector_bytes, class W>
[[gnu::always_inline]] inline W farthest_by_vectors(const W* row, vertex_t n) {
  using Vector = typename VectorOf<W, vector_bytes>::type;
  using UnalignedVector = typename VectorOf<W, vector_bytes>::unaligned;
  constexpr int per_vector = vector_bytes / static_cast<int>(sizeof(W));
  constexpr int n_vectors = 2;  // independent of each other
  const Vector infinite = Vector{} + infinity<W>();
  Vector most[n_vectors] = {};
  vertex_t v = 0;
  for (; v + n_vectors * per_vector <= n; v += n_vectors * per_vector) {
#pragma GCC unroll 2
    for (int i = 0; i < n_vectors; ++i) {
      const Vector distance = *reinterpret_cast<const UnalignedVector*>(row + v + i * per_vector);
      const Vector finite = distance < infinite ? distance : Vector{};
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

template <class W>
W farthest_in_row(const W* row, vertex_t n) {
  return with_widest_vectors([=]<int vector_bytes>() __attribute__((always_inline)) {
    return farthest_by_vectors<vector_bytes>(row, n);
  });
}

template <Sums sums, class W>
void attach(const TreeBatch<W>& batch, vertex_t first, vertex_t last) {
  with_widest_vectors([&]<int vector_bytes>() __attribute__((always_inline)) {
    attach_by_vectors<vector_bytes, sums>(batch, first, last);
  });
}

}  // namespace warpgraph::shortest_paths
