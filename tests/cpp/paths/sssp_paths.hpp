// Shortest paths from vertex 0, for the tests of searches by several workers.
#pragma once

#include "algorithms/sssp/sssp.hpp"

#include <vector>

namespace warpgraph::test {

template <class W>
struct Paths {
  explicit Paths(vertex_t n)
      : distances(static_cast<std::size_t>(n)), tree(static_cast<std::size_t>(n)) {}
  SsspResult<W> result() { return {distances, tree}; }
  friend bool operator==(const Paths&, const Paths&) = default;
  std::vector<W> distances;
  std::vector<vertex_t> tree;
};

/// By Dijkstra's algorithm.
template <class W>
Paths<W> paths_alone(const CsrView<W>& graph, SsspOptions<W> options) {
  options.method = SsspMethod::dijkstra;
  Paths<W> found(graph.n_vertices);
  sssp_cpu(graph, 0, options, found.result());
  return found;
}

}  // namespace warpgraph::test
