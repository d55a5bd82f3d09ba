// Disjoint sets over an array of parents, on host and device [1].
//
// A root is its own parent, and parents only ever point to smaller vertices: hooking lowers the
// larger root to the smaller by compare-and-swap, so no cycle can form and, once all hooks are
// done, the root of a set is its smallest vertex whatever the order of the hooks.
//
// find() shortens the path while it walks. Its writes race with other finds and with hooks, which
// is benign: it only writes to a vertex that has a parent already (hooks only write to roots), and
// what it writes is an ancestor, so every interleaving keeps each vertex below its own root.
//
// [1] Jaiganesh, Burtscher: A high-performance connected components implementation for GPUs.
//     HPDC 2018.
#pragma once

#include "core/atomics.hpp"
#include "core/types.hpp"

namespace warpgraph {

struct UnionFind {
  vertex_t* parent;

  WARPGRAPH_HOST_DEVICE void make_singleton(vertex_t v) const noexcept { parent[v] = v; }

  /// The root of v's set, halving the path on the way.
  WARPGRAPH_HOST_DEVICE vertex_t find(vertex_t v) const noexcept {
    vertex_t above = relaxed_load(parent[v]);
    while (above != v) {
      const vertex_t next = relaxed_load(parent[above]);
      if (next == above) return above;
      relaxed_store(parent[v], next);
      v = next;
      above = relaxed_load(parent[v]);
    }
    return v;
  }

  /// The root of v's set, writing nothing.
  WARPGRAPH_HOST_DEVICE vertex_t root(vertex_t v) const noexcept {
    for (vertex_t above = relaxed_load(parent[v]); above != v;) {
      v = above;
      above = relaxed_load(parent[v]);
    }
    return v;
  }

  /// Joins the sets of u and v; true when they were two.
  WARPGRAPH_HOST_DEVICE bool unite(vertex_t u, vertex_t v) const noexcept {
    return hook(u, v) >= 0;
  }

  /// The same; returns the root that is none any more, or -1 when there was one set.
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
