// Disjoint sets over an array of parents, on host and device [1].
//
// A root is its own parent; any other vertex is larger than its parent. Hooking makes the smaller
// of two roots the parent of the larger by compare-and-swap. So no cycle can form and, after all
// hooks, the root of a set is its smallest vertex, whatever the order of the hooks.
//
// find() halves the path that it follows. Its writes race with other finds and with hooks. The race
// is benign: find() writes only to vertices that are not roots (hooks write only to roots), and the
// value is an ancestor. So with every interleaving each vertex stays below its own root.
//
// [1] Jaiganesh, Burtscher: A high-performance connected components implementation for GPUs.
//     HPDC 2018.
#pragma once

#include "core/atomics.hpp"
#include "core/types.hpp"

namespace warpgraph {

/// Reads of parents as they are now.
struct FreshReads {
  WARPGRAPH_HOST_DEVICE static vertex_t read(const vertex_t& place) noexcept {
    return relaxed_load(place);
  }
};
/// Reads of parents as they are or were before, from the L1 cache of a multiprocessor. Every reader
/// of a large set reads the parent of its root, and the L2 cache serves one address about once per
/// cycle.
struct CachedReads {
  WARPGRAPH_HOST_DEVICE static vertex_t read(const vertex_t& place) noexcept {
    return cached_load(place);
  }
};

struct UnionFind {
  vertex_t* parent;

  WARPGRAPH_HOST_DEVICE void make_singleton(vertex_t v) const noexcept { parent[v] = v; }

  /// Returns the root of v's set and halves the path to it. With cached reads, the result may be a
  /// vertex that was a root before.
  template <class Reads = FreshReads>
  WARPGRAPH_HOST_DEVICE vertex_t find(vertex_t v) const noexcept {
    vertex_t above = Reads::read(parent[v]);
    while (above != v) {
      const vertex_t next = Reads::read(parent[above]);
      if (next == above) return above;
      relaxed_store(parent[v], next);
      v = next;
      above = Reads::read(parent[v]);
    }
    return v;
  }

  /// Returns the root of v's set without writing. Cached reads serve it if no sets are joined
  /// meanwhile.
  template <class Reads = FreshReads>
  WARPGRAPH_HOST_DEVICE vertex_t root(vertex_t v) const noexcept {
    for (vertex_t above = Reads::read(parent[v]); above != v;) {
      v = above;
      above = Reads::read(parent[v]);
    }
    return v;
  }

  /// Makes the root the parent of v. No sets may be joined meanwhile, but other threads may call
  /// this, too: a vertex that moves up stays below its root.
  WARPGRAPH_HOST_DEVICE void point_to_root(vertex_t v) const noexcept {
    relaxed_store(parent[v], root(v));
  }

  /// Makes the root the parent of v and of all vertices on its path, so that sequential calls for
  /// all vertices take linear time however long the paths are. No sets may be joined meanwhile.
  WARPGRAPH_HOST_DEVICE void compress(vertex_t v) const noexcept {
    const vertex_t top = root(v);
    while (v != top) {
      const vertex_t above = relaxed_load(parent[v]);
      relaxed_store(parent[v], top);
      v = above;
    }
  }

  /// Joins the sets of u and v. Returns true if they were different.
  WARPGRAPH_HOST_DEVICE bool unite(vertex_t u, vertex_t v) const noexcept {
    return hook(u, v) >= 0;
  }

  /// Joins the sets of u and v with cached reads; returns true if they were different. A cached
  /// parent of a vertex was its ancestor before, so it is still a smaller vertex of the same set.
  /// So the smaller one of the two that are found need not be a root to become the parent of the
  /// larger one, which is a root if the compare-and-swap succeeds: the root of the smaller one is
  /// smaller yet, so it is another.
  WARPGRAPH_HOST_DEVICE bool unite_cached(vertex_t u, vertex_t v) const noexcept {
    vertex_t a = find<CachedReads>(u);
    vertex_t b = find<CachedReads>(v);
    while (a != b) {
      if (a < b) {
        const vertex_t swapped = a;
        a = b;
        b = swapped;
      }
      if (compare_and_swap(parent[a], a, b)) return true;
      a = find(a);
    }
    return false;
  }

  /// Joins the sets of u and v. Returns the root that has got a parent, or -1 if the sets were the
  /// same.
  WARPGRAPH_HOST_DEVICE vertex_t hook(vertex_t u, vertex_t v) const noexcept {
    vertex_t a = find(u);
    vertex_t b = find(v);
    while (a != b) {
      if (a < b) {
        const vertex_t swapped = a;
        a = b;
        b = swapped;
      }
      if (compare_and_swap(parent[a], a, b)) return a;
      a = find(a);
      b = find(b);
    }
    return -1;
  }
};

}  // namespace warpgraph
