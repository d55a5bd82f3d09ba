// The trees and the edges chosen so far, shared by all steps of mst_cpu. Private to this folder.
#pragma once

#include "core/containers/bitmap.hpp"
#include "graph/csr.hpp"
#include "primitives/boruvka/host_step.hpp"

namespace warpgraph::mst {

struct GrowingForest {
  explicit GrowingForest(const CsrPattern& graph)
      : n_vertices(graph.n_vertices), label(n_vertices), chosen(graph.n_arcs) {
    parallel_for(n_vertices, [&](std::int64_t v) { label[v] = static_cast<vertex_t>(v); });
  }

  [[nodiscard]] bool is_root(vertex_t v) const { return relaxed_load(label[v]) == v; }
  [[nodiscard]] vertex_t find(vertex_t v) const { return UnionFind{label.get()}.find(v); }
  void choose(edge_t position) { chosen.view().set_atomically(position); }
  /// Chooses an entry of the rows first_row..last_row, while no other thread chooses entries of
  /// these rows. Words of the bitmap that lie within the rows need no atomics.
  void choose_within(const CsrPattern& graph, vertex_t first_row, vertex_t last_row,
                     edge_t position) {
    const std::int64_t word = position >> 6;
    const bool is_first = word == graph.begin(first_row) >> 6;
    const bool is_last = word == graph.begin(last_row) >> 6;
    if (is_first | is_last) {
      chosen.view().set_atomically(position);
    } else {
      chosen.view().set(position);
    }
  }
  [[nodiscard]] std::int64_t count_trees() const {
    return parallel_reduce(
        n_vertices, std::int64_t{0},
        [&](std::int64_t v) { return is_root(static_cast<vertex_t>(v)) ? 1 : 0; }, std::plus<>{});
  }
  /// Makes v's label its root. The first steps are taken without a branch: more are seldom needed,
  /// and whether they are is hard to predict. Other threads may do the same for other vertices. The
  /// race is benign: no trees are joined meanwhile, each label that is read is an ancestor, and
  /// others write nothing but the root to v's label. So the last write to it is the root.
  void point_to_root(vertex_t v) {
    const vertex_t parent = relaxed_load(label[v]);
    const vertex_t second = relaxed_load(label[parent]);
    const vertex_t third = relaxed_load(label[second]);
    const vertex_t fourth = relaxed_load(label[third]);
    relaxed_store(label[v], fourth);
    if (relaxed_load(label[fourth]) != fourth) [[unlikely]]
      UnionFind{label.get()}.compress(v);
  }
  /// Makes the label of every vertex its root.
  void flatten() {
    constexpr std::int64_t vertices_ahead = 16;
    parallel_for(n_vertices, [&](std::int64_t v) {
      __builtin_prefetch(
          &label[relaxed_load(label[std::min<std::int64_t>(v + vertices_ahead, n_vertices - 1)])]);
      point_to_root(static_cast<vertex_t>(v));
    });
  }

  vertex_t n_vertices;
  HostArray<vertex_t> label;  // parents; paths end in roots, which are their own parents
  Bitmap chosen;              // one bit per entry of the graph
};

/// Returns whether a tree becomes the root of a mutual pair (primitives/boruvka/boruvka.hpp): here
/// it is the larger root, so that the first round finds the edge above the diagonal, in the hooked
/// vertex's row.
inline bool keeps_root(const vertex_t* target, vertex_t root) {
  return target[target[root]] == root && root > target[root];
}

}  // namespace warpgraph::mst
