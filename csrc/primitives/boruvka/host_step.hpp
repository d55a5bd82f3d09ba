// Joins trees on CPU threads.
#pragma once

#include "core/containers/union_find.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/boruvka/boruvka.hpp"

namespace warpgraph::boruvka {

/// Operations of join_trees on the host.
struct HostStep {
  template <class Body>
  void for_each(std::int64_t n, const Body& body) const {
    parallel_for(n, body);
  }
  void exclusive_sum(vertex_t* values, std::int64_t n) const { exclusive_scan_in_place(values, n); }
  void flatten(vertex_t* parent, std::int64_t n) const {
    constexpr std::int64_t vertices_ahead = 16;
    parallel_for(n, [&](std::int64_t v) {
      __builtin_prefetch(parent + relaxed_load(parent[std::min(v + vertices_ahead, n - 1)]));
      UnionFind{parent}.compress(static_cast<vertex_t>(v));
    });
  }
};

}  // namespace warpgraph::boruvka
