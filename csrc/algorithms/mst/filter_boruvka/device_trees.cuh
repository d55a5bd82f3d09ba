// Trees on a device, and the edges that they choose. Private to this folder.
//
// The first edge of a tree is a minimum taken by atomics. Where weight and position have 32 bits
// each, they are one word of 64 bits and the minimum is taken at once. Otherwise it takes two
// steps: the smallest key, then the smallest position among edges with that key.
#pragma once

#include "core/atomics.hpp"
#include "core/containers/bitmap.hpp"
#include "core/types.hpp"

namespace warpgraph::mst {

using word_t = unsigned long long;
inline constexpr word_t no_word = ~word_t{0};

/// Where an edge stands in Kruskal's order.
struct NarrowRank {
  static constexpr bool has_two_words = false;
  using Low = std::uint32_t;  // not used
  word_t high;                // key and position

  WARPGRAPH_HOST_DEVICE static NarrowRank make(word_t key, edge_t position) {
    return {key << 32 | static_cast<word_t>(position)};
  }
  WARPGRAPH_HOST_DEVICE edge_t position() const { return static_cast<edge_t>(high & 0xffffffffu); }
  /// Whether this is one of begin .. end, without the end.
  WARPGRAPH_HOST_DEVICE bool is_within(NarrowRank begin, NarrowRank end) const {
    return high - begin.high < end.high - begin.high;
  }
};

/// Positions are as wide as L.
template <class L>
struct WideRank {
  static constexpr bool has_two_words = true;
  using Low = L;
  word_t high;  // key
  Low low;      // position

  WARPGRAPH_HOST_DEVICE static WideRank make(word_t key, edge_t position) {
    return {key, static_cast<Low>(position)};
  }
  WARPGRAPH_HOST_DEVICE edge_t position() const { return static_cast<edge_t>(low); }
  WARPGRAPH_HOST_DEVICE bool is_within(WideRank begin, WideRank end) const {
    return !is_before(begin) && is_before(end);
  }

 private:
  WARPGRAPH_HOST_DEVICE bool is_before(WideRank other) const {
    return high != other.high ? high < other.high : low < other.low;
  }
};

/// An edge between the trees with the roots a and b.
template <class WordRank>
struct Candidate {
  vertex_t a;
  vertex_t b;
  WordRank rank;
};

/// The first edge of each tree, by its root. `low` is not used for narrow ranks.
template <class WordRank>
struct FirstEdges {
  using Low = typename WordRank::Low;
  static constexpr Low no_low = static_cast<Low>(~Low{0});

  word_t* high;
  Low* low;

  __device__ void reset(vertex_t root) const {
    relaxed_store(high[root], no_word);
    if constexpr (WordRank::has_two_words) relaxed_store(low[root], no_low);
  }
  /// Offering takes two steps, so that a thread can look for many edges before it waits for the
  /// first answer. The look keeps hopeless edges off the bus; words only ever fall.
  __device__ word_t look(vertex_t root) const { return relaxed_load(high[root]); }
  __device__ void offer_high(vertex_t root, WordRank rank, word_t seen) const {
    if (rank.high < seen) atomicMin(&high[root], rank.high);
  }
  /// When all high words were offered.
  __device__ void offer_low(vertex_t root, WordRank rank) const {
    if constexpr (WordRank::has_two_words) {
      if (relaxed_load(high[root]) == rank.high) lower(low[root], rank.low);
    }
  }
  /// When all words were offered. False for a tree that was offered nothing: no position is all
  /// ones.
  __device__ bool is_first(vertex_t root, WordRank rank) const {
    bool same = relaxed_load(high[root]) == rank.high;
    if constexpr (WordRank::has_two_words) same = same && relaxed_load(low[root]) == rank.low;
    return same;
  }
};

/// What all kernels of a solve share.
///
/// As trees merge, a giant comes to have an end of nearly every candidate, and all threads would
/// queue up to lower its minimum. But by the cut property any set of trees may choose: the giant
/// just does not. Every candidate has an end in another tree, so each round still joins some.
template <class WordRank>
struct Trees {
  vertex_t* parent;  // paths end in roots, which are their own
  /// They take turns, so that the next round's need not be reset by a sweep between two barriers:
  /// whoever wins a tree in this round resets that tree.
  FirstEdges<WordRank> now;
  FirstEdges<WordRank> next;
  BitmapView chosen;  // a bit for each entry of the graph

  __device__ void begin_round() {
    const FirstEdges<WordRank> used = now;
    now = next;
    next = used;
  }
  /// The root of v's tree, halving the path on the way, while no trees are joined. What is written
  /// races with other finds, which is benign: it is an ancestor in any case. A warp mostly asks for
  /// vertices below the giant, which is known to be a root and not asked.
  __device__ vertex_t find(vertex_t v, vertex_t giant) const {
    if (v == giant) return v;
    vertex_t above = relaxed_load(parent[v]);
    while (above != v && above != giant) {
      const vertex_t beyond = relaxed_load(parent[above]);
      if (beyond == above) break;
      relaxed_store(parent[v], beyond);
      if (beyond == giant) return beyond;
      v = beyond;
      above = relaxed_load(parent[v]);
    }
    return above;
  }
  /// Replaces n vertices by the roots of their trees, as find does, so that the waits for all of
  /// them overlap; no_vertex stays. Every vertex on the way is hung one step higher, or paths as
  /// long as the graph would be walked to their end by all.
  template <int n>
  __device__ void find_all(vertex_t (&v)[n], vertex_t giant) const {
    vertex_t start[n];
    vertex_t first[n];
    vertex_t below[n];
#pragma unroll
    for (int k = 0; k < n; ++k) {
      start[k] = below[k] = v[k];
      if (v[k] != giant && v[k] != no_vertex) v[k] = relaxed_load(parent[v[k]]);
      first[k] = v[k];
    }
    for (bool walks = true; walks;) {
      vertex_t beyond[n];
      walks = false;
#pragma unroll
      for (int k = 0; k < n; ++k) {
        const bool is_root = v[k] == below[k] || v[k] == giant;
        beyond[k] = is_root ? v[k] : relaxed_load(parent[v[k]]);
      }
#pragma unroll
      for (int k = 0; k < n; ++k) {
        if (v[k] != beyond[k]) relaxed_store(parent[below[k]], beyond[k]);
        below[k] = v[k];
        v[k] = beyond[k];
        walks = walks || v[k] != below[k];
      }
    }
#pragma unroll
    for (int k = 0; k < n; ++k) {
      if (v[k] != first[k]) relaxed_store(parent[start[k]], v[k]);
    }
  }
  /// Offers n edges to the trees that they join, but not to the giant; `found`: whether there is
  /// one.
  template <int n>
  __device__ void offer(const Candidate<WordRank> (&edge)[n], const bool (&found)[n],
                        vertex_t giant) const {
    word_t seen_by_a[n];
    word_t seen_by_b[n];
#pragma unroll
    for (int k = 0; k < n; ++k) {
      seen_by_a[k] = found[k] && edge[k].a != giant ? now.look(edge[k].a) : 0;
      seen_by_b[k] = found[k] && edge[k].b != giant ? now.look(edge[k].b) : 0;
    }
#pragma unroll
    for (int k = 0; k < n; ++k) {
      now.offer_high(edge[k].a, edge[k].rank, seen_by_a[k]);
      now.offer_high(edge[k].b, edge[k].rank, seen_by_b[k]);
    }
  }
  __device__ void offer_low(const Candidate<WordRank>& edge, vertex_t giant) const {
    if (edge.a != giant) now.offer_low(edge.a, edge.rank);
    if (edge.b != giant) now.offer_low(edge.b, edge.rank);
  }
  /// When all edges were offered: hooks the trees whose first edge one of these is to the tree at
  /// its other end. Longer cycles cannot be, since the order is total; of two trees that choose the
  /// same edge the smaller root stays one. Every root is written by one thread at most, and read by
  /// none. Returns how many of the edges two trees chose.
  template <int n>
  __device__ unsigned choose(const Candidate<WordRank> (&edge)[n], const bool (&found)[n],
                             vertex_t giant) const {
    bool first_of_a[n];
    bool first_of_b[n];
#pragma unroll
    for (int k = 0; k < n; ++k) {
      first_of_a[k] = found[k] && edge[k].a != giant && now.is_first(edge[k].a, edge[k].rank);
      first_of_b[k] = found[k] && edge[k].b != giant && now.is_first(edge[k].b, edge[k].rank);
    }
    unsigned n_mutual = 0;
#pragma unroll
    for (int k = 0; k < n; ++k) {
      if (!first_of_a[k] && !first_of_b[k]) continue;
      chosen.set_atomically(edge[k].rank.position());
      if (first_of_a[k]) next.reset(edge[k].a);
      if (first_of_b[k]) next.reset(edge[k].b);
      const bool hooks_a = first_of_a[k] && (!first_of_b[k] || edge[k].b < edge[k].a);
      parent[hooks_a ? edge[k].a : edge[k].b] = hooks_a ? edge[k].b : edge[k].a;
      if (first_of_a[k] && first_of_b[k]) ++n_mutual;
    }
    return n_mutual;
  }
};

}  // namespace warpgraph::mst
