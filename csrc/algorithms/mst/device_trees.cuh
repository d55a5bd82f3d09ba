// Trees on a device, the edges that they choose, and the forest's edges. Private to this folder.
//
// The first edge of a tree is a minimum taken by atomics. Where weight and position have 32 bits
// each, they are one word of 64 bits and the minimum is taken at once. Otherwise it takes two
// steps: the smallest key, then the smallest position among edges with that key.
#pragma once

#include "core/atomics.hpp"
#include "core/bitmap.hpp"
#include "core/types.hpp"
#include "core/union_find.hpp"

namespace warpgraph::mst {

using word_t = unsigned long long;
inline constexpr word_t no_word = ~word_t{0};

/// Where an edge stands in Kruskal's order; ordered by (high, low).
struct NarrowRank {
  static constexpr bool has_two_words = false;
  word_t high;  // key and position

  __device__ static NarrowRank make(word_t key, edge_t position) {
    return {key << 32 | static_cast<word_t>(position)};
  }
  __device__ edge_t position() const { return static_cast<edge_t>(high & 0xffffffffu); }
};

struct WideRank {
  static constexpr bool has_two_words = true;
  word_t high;  // key
  word_t low;   // position

  __device__ static WideRank make(word_t key, edge_t position) {
    return {key, static_cast<word_t>(position)};
  }
  __device__ edge_t position() const { return static_cast<edge_t>(low); }
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
  word_t* high;
  word_t* low;

  __device__ void reset(vertex_t root) const {
    relaxed_store(high[root], no_word);
    if constexpr (WordRank::has_two_words) relaxed_store(low[root], no_word);
  }
  __device__ void offer_high(vertex_t root, WordRank rank) const { lower(high[root], rank.high); }
  /// When all high words were offered.
  __device__ void offer_low(vertex_t root, WordRank rank) const {
    if constexpr (WordRank::has_two_words) {
      if (relaxed_load(high[root]) == rank.high) lower(low[root], rank.low);
    }
  }
  /// When all words were offered. False for a tree that was offered nothing: no position equals
  /// no_word, and for narrow ranks the position is the low half of the high word.
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
  UnionFind sets;
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
  /// Offers an edge to the trees that it joins, but not to the giant.
  __device__ void offer(const Candidate<WordRank>& edge, vertex_t giant) const {
    if (edge.a != giant) now.offer_high(edge.a, edge.rank);
    if (edge.b != giant) now.offer_high(edge.b, edge.rank);
  }
  __device__ void offer_low(const Candidate<WordRank>& edge, vertex_t giant) const {
    if (edge.a != giant) now.offer_low(edge.a, edge.rank);
    if (edge.b != giant) now.offer_low(edge.b, edge.rank);
  }
  /// When all edges were offered: joins the trees if this is the first edge of one of them.
  __device__ void choose(const Candidate<WordRank>& edge, vertex_t giant) const {
    const bool first_of_a = edge.a != giant && now.is_first(edge.a, edge.rank);
    const bool first_of_b = edge.b != giant && now.is_first(edge.b, edge.rank);
    if (!first_of_a && !first_of_b) return;
    chosen.set_atomically(edge.rank.position());
    if (first_of_a) next.reset(edge.a);
    if (first_of_b) next.reset(edge.b);
    sets.unite(edge.a, edge.b);
  }
};

}  // namespace warpgraph::mst
