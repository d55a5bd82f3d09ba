// Symmetric graphs that reach each branch of the searches on a device.
#pragma once

#include "support.hpp"

#include <utility>
#include <vector>

namespace warpgraph::test {

/// Builds a symmetric graph edge by edge.
template <class W>
class SymmetricGraph {
 public:
  explicit SymmetricGraph(vertex_t n) : rows_(static_cast<std::size_t>(n)) {}

  void join(vertex_t u, vertex_t v, W weight) {
    rows_[static_cast<std::size_t>(u)].push_back({v, weight});
    rows_[static_cast<std::size_t>(v)].push_back({u, weight});
  }
  [[nodiscard]] Csr<W> graph() const {
    Csr<W> graph;
    for (const auto& row : rows_) {
      for (const auto& [head, weight] : row) {
        graph.heads.push_back(head);
        graph.weights.push_back(weight);
      }
      graph.offsets.push_back(static_cast<edge_t>(graph.heads.size()));
    }
    return graph;
  }

 private:
  std::vector<std::vector<std::pair<vertex_t, W>>> rows_;
};

/// A grid: rounds of few arcs, which one block processes.
template <class W>
Csr<W> grid(vertex_t rows, vertex_t columns) {
  const CounterRandom random(5, 0);
  SymmetricGraph<W> grid(rows * columns);
  std::uint64_t next = 0;
  const auto weight = [&] { return static_cast<W>(random.below(next++, 1000)) / W{3}; };
  for (vertex_t i = 0; i < rows; ++i) {
    for (vertex_t j = 0; j < columns; ++j) {
      if (j + 1 < columns) grid.join(i * columns + j, i * columns + j + 1, weight());
      if (i + 1 < rows) grid.join(i * columns + j, (i + 1) * columns + j, weight());
    }
  }
  return grid.graph();
}

/// Two hubs whose rows are divided into pieces, and a cycle of the other vertices.
template <class W>
Csr<W> wheel(vertex_t n) {
  const CounterRandom random(6, 0);
  SymmetricGraph<W> wheel(n);
  for (vertex_t v = 2; v < n; ++v) {
    const auto at = static_cast<std::uint64_t>(v);
    wheel.join(v % 2, v, static_cast<W>(1 + random.below(3 * at, 500)));
    wheel.join(v, v + 1 < n ? v + 1 : 2, static_cast<W>(random.below(3 * at + 1, 20)));
  }
  return wheel.graph();
}

/// A hub with more leaves than the lists of near and of far vertices hold.
template <class W>
Csr<W> star(vertex_t n, int weights) {
  const CounterRandom random(7, 0);
  SymmetricGraph<W> star(n);
  for (vertex_t v = 0; v < n; ++v) {
    if (v != 1)
      star.join(1, v, static_cast<W>(random.below(static_cast<std::uint64_t>(v), weights)));
  }
  return star.graph();
}

/// A cycle without weight, with chords of weight 1.
template <class W>
Csr<W> cycle_of_zeros(vertex_t n) {
  const CounterRandom random(8, 0);
  SymmetricGraph<W> cycle(n);
  for (vertex_t v = 0; v < n; ++v) {
    cycle.join(v, (v + 1) % n, 0);
    cycle.join(v, static_cast<vertex_t>(random.below(static_cast<std::uint64_t>(v), n)), 1);
  }
  return cycle.graph();
}

}  // namespace warpgraph::test
