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

  [[nodiscard]] bool is_root(vertex_t v) const { return label[v] == v; }
  [[nodiscard]] vertex_t find(vertex_t v) const { return UnionFind{label.get()}.find(v); }
  void choose(edge_t position) { chosen.view().set_atomically(position); }
  [[nodiscard]] std::int64_t count_trees() const {
    return parallel_reduce(
        n_vertices, std::int64_t{0},
        [&](std::int64_t v) { return is_root(static_cast<vertex_t>(v)) ? 1 : 0; }, std::plus<>{});
  }
  /// Makes the label of every vertex its root.
  void flatten() { boruvka::HostStep{}.flatten(label.get(), n_vertices); }

  vertex_t n_vertices;
  HostArray<vertex_t> label;  // parents; paths end in roots, which are their own parents
  Bitmap chosen;              // one bit per entry of the graph
};

/// Whether a tree becomes the root of a mutual pair (primitives/boruvka/boruvka.hpp): here it is
/// the larger root, so that the first round finds the edge above the diagonal, in the hooked
/// vertex's row.
inline bool keeps_root(const vertex_t* target, vertex_t root) {
  return target[target[root]] == root && root > target[root];
}

}  // namespace warpgraph::mst
