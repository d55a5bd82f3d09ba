// The first arcs of rows, and how sets are united along them where they lead to near vertices, as
// on grids and on roads in their usual order. One pass over the graph does so block by block, while
// the parents of a block's vertices are in the cache of the thread that processes it. No other
// thread reads or writes these parents yet, so no atomics are needed, except for the few arcs that
// leave their block: they are united last. Private to this folder.
#pragma once

#include "core/containers/union_find.hpp"
#include "core/threads/parallel.hpp"
#include "graph/csr.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace warpgraph {

/// The first arcs of rows. Loops use a copy, since the compiler would read the members of a shared
/// object again after each atomic operation.
struct SampledRows {
  std::int64_t n_vertices;
  edge_t last_arc;
  Offsets offsets;
  const vertex_t* heads;

  explicit SampledRows(const CsrPattern& graph)
      : n_vertices(graph.n_vertices),
        last_arc(graph.n_arcs - 1),
        offsets(graph.offsets),
        heads(graph.heads) {}

  /// Returns the heads of u's first arcs, and u in place of those that it lacks, without a branch:
  /// degrees are hard to predict.
  template <edge_t n>
  [[nodiscard]] std::array<vertex_t, n> first_heads(vertex_t u) const {
    const edge_t begin = offsets[u];
    const edge_t end = offsets[std::int64_t{u} + 1];
    std::array<vertex_t, n> found;
    for (edge_t i = 0; i < n; ++i) {
      const vertex_t head = heads[std::min(begin + i, last_arc)];
      found[i] = begin + i < end ? head : u;
    }
    return found;
  }
  /// Prefetches the start of a row some rows ahead. Processors do so themselves if no arcs are
  /// skipped. Always inlined: GCC takes a call for one without effects, and drops it.
  [[gnu::always_inline]] void prefetch_after(std::int64_t v) const {
    constexpr std::int64_t distance = 24;
    __builtin_prefetch(&heads[offsets[std::min(v + distance, n_vertices)]]);
  }
};

/// Unites along the first `n_sampled` arcs of the rows of a symmetric graph. An arc to a larger
/// head is left to its other end, unless it is the first of its row.
template <edge_t n_sampled>
class NearArcs {
 public:
  /// `bits` has a bit for each vertex; they are overwritten.
  NearArcs(const SampledRows& rows, const UnionFind& sets, std::span<std::uint64_t> bits)
      : rows_(rows), sets_(sets), bits_(bits) {}

  /// Returns whether few rows have arcs that leave their block, as estimated from some of them.
  [[nodiscard]] static bool suits(const SampledRows& rows, std::int64_t vertices_per_block) {
    constexpr std::int64_t n_tried = 1024;
    constexpr std::int64_t max_leaving = n_tried / 10;
    std::int64_t n_leaving = 0;
    for (std::int64_t i = 0; i < n_tried; ++i) {
      const std::int64_t v = rows.n_vertices * i / n_tried;
      const auto first = static_cast<vertex_t>(v / vertices_per_block * vertices_per_block);
      const auto u = static_cast<vertex_t>(v);
      n_leaving += leaves_block(first, u, rows.first_heads<n_sampled>(u)) ? 1 : 0;
    }
    return n_leaving <= max_leaving;
  }

  /// Unites along the arcs, block by block; `vertices_per_block` is a multiple of 64.
  void unite(std::int64_t vertices_per_block) {
    parallel_blocks(rows_.n_vertices, vertices_per_block,
                    [&](int, std::int64_t first, std::int64_t last) {
                      for (std::int64_t v = first; v < last; v += 64) {
                        bits_[static_cast<std::size_t>(v / 64)] =
                            unite_rows(static_cast<vertex_t>(first), v, std::min(v + 64, last));
                      }
                    });
    unite_arcs_between_blocks();
  }

 private:
  using Heads = std::array<vertex_t, n_sampled>;

  /// Returns whether an arc of u is to be united last: one that leaves the block, which begins with
  /// `first`, or a first arc to a vertex beyond u, which has no parent yet.
  static bool leaves_block(vertex_t first, vertex_t u, const Heads& heads) {
    bool leaves = heads[0] > u;
    for (const vertex_t head : heads) leaves |= head < first;
    return leaves;
  }

  /// Unites along the rows v .. last - 1 of the block that begins with `first`. Returns the bits of
  /// rows with arcs that are to be united last.
  std::uint64_t unite_rows(vertex_t first, std::int64_t v, std::int64_t last) const {
    const SampledRows rows = rows_;
    const UnionFind sets = sets_;
    std::uint64_t leaving = 0;
    for (int bit = 0; v < last; ++v, ++bit) {
      const auto u = static_cast<vertex_t>(v);
      const Heads heads = rows.template first_heads<n_sampled>(u);
      leaving |= static_cast<std::uint64_t>(leaves_block(first, u, heads)) << bit;
      const bool has_parent = (first <= heads[0]) & (heads[0] < u);
      sets.parent[u] = u;
      vertex_t root = sets.parent[has_parent ? heads[0] : u];
      sets.parent[u] = root;
      for (edge_t i = 1; i < n_sampled; ++i) {
        // On a mesh, both vertices are nearly always in one set already.
        const bool is_used = (first <= heads[i]) & (heads[i] < u);
        if (sets.parent[is_used ? heads[i] : u] != root) {
          sets.unite(u, heads[i]);
          root = sets.parent[u];
        }
      }
    }
    return leaving;
  }

  void unite_arcs_between_blocks() const {
    constexpr std::int64_t words_per_block = 16;
    parallel_for(
        std::ssize(bits_),
        [&](std::int64_t word) {
          std::uint64_t left = bits_[static_cast<std::size_t>(word)];
          for (; left != 0; left &= left - 1) {
            const auto u = static_cast<vertex_t>(64 * word + std::countr_zero(left));
            const Heads heads = rows_.template first_heads<n_sampled>(u);
            for (std::size_t i = 0; i < heads.size(); ++i) {
              if (i == 0 || heads[i] < u) sets_.unite(u, heads[i]);
            }
          }
        },
        words_per_block);
  }

  const SampledRows rows_;
  const UnionFind sets_;
  const std::span<std::uint64_t> bits_;
};

}  // namespace warpgraph
