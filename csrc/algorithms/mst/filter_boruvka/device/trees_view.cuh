// Trees on a device, and their lightest edges. Private to this folder.
//
// The lightest edge of a tree is a minimum computed by atomics. Where weight and position have 32
// bits each, they form one word of 64 bits and one atomic suffices. Otherwise it takes two steps:
// the smallest key, then the smallest position among edges with that key.
#pragma once

#include "core/atomics.hpp"
#include "core/containers/bitmap.hpp"
#include "core/types.hpp"
#include "primitives/boruvka/boruvka.hpp"

namespace warpgraph::mst {

using word_t = unsigned long long;
inline constexpr word_t no_word = ~word_t{0};

/// The position of an edge in Kruskal's order in one word.
struct NarrowRank {
  static constexpr bool has_two_words = false;
  using Low = std::uint32_t;  // unused
  word_t high;                // key and position

  WARPGRAPH_HOST_DEVICE static NarrowRank make(word_t key, edge_t position) {
    return {key << 32 | static_cast<word_t>(position)};
  }
  WARPGRAPH_HOST_DEVICE edge_t position() const { return static_cast<edge_t>(high & 0xffffffffu); }
  /// Returns whether begin <= *this < end.
  WARPGRAPH_HOST_DEVICE bool is_within(NarrowRank begin, NarrowRank end) const {
    return high - begin.high < end.high - begin.high;
  }
};

/// The position of an edge in Kruskal's order in two words, with positions of type L.
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

/// Calls f.operator()<WordRank>() for the smallest rank that holds weights of type W and that many
/// positions.
template <class W, class F>
decltype(auto) for_rank_of(edge_t n_positions, F&& f) {
  // Position 2^32 - 1 is excluded: no_low is all ones.
  if (n_positions >= 0xffffffff) return f.template operator()<WideRank<std::uint64_t>>();
  using WordRank = std::conditional_t<sizeof(W) == 4, NarrowRank, WideRank<std::uint32_t>>;
  return f.template operator()<WordRank>();
}

/// An edge between the trees with the roots a and b.
template <class WordRank>
struct DeviceCandidate {
  vertex_t a;
  vertex_t b;
  WordRank rank;
};

/// The lightest edge of each tree, indexed by its root. `low` is unused for narrow ranks.
template <class WordRank>
struct LightestEdges {
  using Low = typename WordRank::Low;
  static constexpr Low no_low = static_cast<Low>(~Low{0});

  word_t* high;
  Low* low;

  __device__ void reset(vertex_t root) const {
    relaxed_store(high[root], no_word);
    if constexpr (WordRank::has_two_words) relaxed_store(low[root], no_low);
  }
  /// Returns the high word. An update takes two steps, so that a thread can load the minima for
  /// many edges before it waits for the first. The test saves most atomics; it is safe since words
  /// only decrease.
  __device__ word_t load_high(vertex_t root) const { return relaxed_load(high[root]); }
  __device__ void update_high(vertex_t root, WordRank rank, word_t seen) const {
    if (rank.high < seen) atomicMin(&high[root], rank.high);
  }
  /// Updates the low word, after all high words are final.
  __device__ void update_low(vertex_t root, WordRank rank) const {
    if constexpr (WordRank::has_two_words) {
      if (relaxed_load(high[root]) == rank.high) lower(low[root], rank.low);
    }
  }
  /// Returns whether a tree has an edge, after all words are final. Of two words, a key may be all
  /// ones, but no position is.
  __device__ bool has_edge(vertex_t root) const {
    if constexpr (WordRank::has_two_words) return relaxed_load(low[root]) != no_low;
    return relaxed_load(high[root]) != no_word;
  }
  /// Returns whether an edge is the lightest of a tree, after all words are final. It is false for
  /// a tree without an edge: no position is all ones.
  __device__ bool is_lightest(vertex_t root, WordRank rank) const {
    bool same = relaxed_load(high[root]) == rank.high;
    if constexpr (WordRank::has_two_words) same = same && relaxed_load(low[root]) == rank.low;
    return same;
  }
};

/// The arrays that all kernels of a solve share.
///
/// As trees merge, the giant component comes to have an end of nearly every candidate, and all
/// threads would contend for its minimum. By the cut property any subset of trees may choose, so
/// the giant component does not. Every candidate has an end in another tree, so each round still
/// joins some.
template <class WordRank>
struct TreesView {
  vertex_t* parent;  // paths end in roots, which are their own parents
  /// The lightest edges in two buffers, so that the minima of the next round need no separate reset
  /// between two barriers: the thread whose edge is a tree's minimum in this round resets that tree
  /// for the next.
  LightestEdges<WordRank> current;
  LightestEdges<WordRank> next;
  BitmapView chosen;  // a bit for each entry of the graph

  WARPGRAPH_HOST_DEVICE void begin_round() {
    const LightestEdges<WordRank> used = current;
    current = next;
    next = used;
  }
  /// Returns the root of v's tree, with path halving. No trees may be joined meanwhile. The writes
  /// race with other finds, which is benign: what is written is an ancestor in any case. A warp
  /// mostly asks for vertices below the giant component's root `giant`, whose parent is therefore
  /// not read.
  __device__ vertex_t find(vertex_t v, vertex_t giant) const {
    if (v == giant) return v;
    vertex_t above = relaxed_load(parent[v]);
    while (above != v && above != giant) {
      const vertex_t grandparent = relaxed_load(parent[above]);
      if (grandparent == above) break;
      relaxed_store(parent[v], grandparent);
      if (grandparent == giant) return grandparent;
      v = grandparent;
      above = relaxed_load(parent[v]);
    }
    return above;
  }
  /// Replaces n vertices by the roots of their trees, as find does, with overlapping reads;
  /// no_vertex stays. Every vertex on a path is attached to its grandparent, or every thread would
  /// follow paths as long as the graph to their end.
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
    for (bool moved = true; moved;) {
      vertex_t grandparent[n];
      moved = false;
#pragma unroll
      for (int k = 0; k < n; ++k) {
        const bool is_root = v[k] == below[k] || v[k] == giant;
        grandparent[k] = is_root ? v[k] : relaxed_load(parent[v[k]]);
      }
#pragma unroll
      for (int k = 0; k < n; ++k) {
        if (v[k] != grandparent[k]) relaxed_store(parent[below[k]], grandparent[k]);
        below[k] = v[k];
        v[k] = grandparent[k];
        moved = moved || v[k] != below[k];
      }
    }
#pragma unroll
    for (int k = 0; k < n; ++k) {
      if (v[k] != first[k]) relaxed_store(parent[start[k]], v[k]);
    }
  }
  /// Updates the minima of the trees that n edges join, except the giant component. `found` tells
  /// which of the edges exist.
  template <int n>
  __device__ void update_minima(const DeviceCandidate<WordRank> (&edge)[n], const bool (&found)[n],
                                vertex_t giant) const {
    word_t seen_by_a[n];
    word_t seen_by_b[n];
#pragma unroll
    for (int k = 0; k < n; ++k) {
      seen_by_a[k] = found[k] && edge[k].a != giant ? current.load_high(edge[k].a) : 0;
      seen_by_b[k] = found[k] && edge[k].b != giant ? current.load_high(edge[k].b) : 0;
    }
#pragma unroll
    for (int k = 0; k < n; ++k) {
      current.update_high(edge[k].a, edge[k].rank, seen_by_a[k]);
      current.update_high(edge[k].b, edge[k].rank, seen_by_b[k]);
    }
  }
  __device__ void update_low(const DeviceCandidate<WordRank>& edge, vertex_t giant) const {
    if (edge.a != giant) current.update_low(edge.a, edge.rank);
    if (edge.b != giant) current.update_low(edge.b, edge.rank);
  }
  /// Hooks each tree whose lightest edge is among these to the tree at the edge's other end, after
  /// all minima are final. Every root is written by at most one thread, and read by none. Returns
  /// how many of the edges two trees chose.
  template <int n>
  __device__ unsigned hook(const DeviceCandidate<WordRank> (&edge)[n], const bool (&found)[n],
                           vertex_t giant) const {
    bool lightest_of_a[n];
    bool lightest_of_b[n];
#pragma unroll
    for (int k = 0; k < n; ++k) {
      lightest_of_a[k] =
          found[k] && edge[k].a != giant && current.is_lightest(edge[k].a, edge[k].rank);
      lightest_of_b[k] =
          found[k] && edge[k].b != giant && current.is_lightest(edge[k].b, edge[k].rank);
    }
    unsigned n_mutual = 0;
#pragma unroll
    for (int k = 0; k < n; ++k) {
      if (!lightest_of_a[k] && !lightest_of_b[k]) continue;
      chosen.set_atomically(edge[k].rank.position());
      if (lightest_of_a[k]) next.reset(edge[k].a);
      if (lightest_of_b[k]) next.reset(edge[k].b);
      boruvka::hook_along(edge[k].a, edge[k].b, lightest_of_a[k], lightest_of_b[k], parent);
      if (lightest_of_a[k] && lightest_of_b[k]) ++n_mutual;
    }
    return n_mutual;
  }
};

}  // namespace warpgraph::mst
