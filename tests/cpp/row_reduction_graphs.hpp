// Graphs and values for the tests of reductions over rows.
#pragma once

#include "primitives/row_reduction/row_reduction.hpp"
#include "support.hpp"

namespace warpgraph::test {

/// A row of each degree at which the order changes, empty rows between them, and many short ones.
inline Csr<double> graph_of_all_orders() {
  std::vector<edge_t> degrees{0,      1,      2,      15,      16,
                              17,     31,     32,     33,      0,
                              1023,   1024,   1025,   1040,    1041,
                              16'384, 16'400, 16'401, 0,       3,
                              65'535, 65'536, 70'000, 1 << 20, (1 << 20) + 1,
                              0,      5};
  for (int i = 0; i < 1000; ++i) degrees.push_back(i % 23);
  const auto n = degrees.size();
  const CounterRandom random(7, 0);
  Csr<double> graph;
  for (const edge_t degree : degrees) {
    for (edge_t e = 0; e < degree; ++e) {
      graph.heads.push_back(static_cast<vertex_t>(random.below(graph.heads.size(), n)));
    }
    graph.offsets.push_back(static_cast<edge_t>(graph.heads.size()));
  }
  graph.weights.resize(graph.heads.size());
  for (std::size_t e = 0; e < graph.weights.size(); ++e) {
    graph.weights[e] = static_cast<double>(random.below(e, 1 << 20)) / 1000 - 300;
  }
  return graph;
}

/// Neither associative nor commutative, so that every other order gives another result; 0 is the
/// identity.
struct OrderedHash {
  WARPGRAPH_HOST_DEVICE std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    if (a == 0 || b == 0) return a + b;
    return (a * 0x9E3779B97F4A7C15u + b) ^ (b >> 29);
  }
};
struct Sum {
  template <class T>
  WARPGRAPH_HOST_DEVICE T operator()(T a, T b) const {
    return a + b;
  }
};

/// The three arguments of a value, mixed.
struct Mixed {
  WARPGRAPH_HOST_DEVICE std::uint64_t operator()(vertex_t tail, vertex_t head, edge_t e) const {
    return (static_cast<std::uint64_t>(tail) << 40) + (static_cast<std::uint64_t>(head) << 20) +
           static_cast<std::uint64_t>(e) + 1;
  }
};
template <class T>
struct Weight {
  const double* weights;
  WARPGRAPH_HOST_DEVICE T operator()(vertex_t, vertex_t, edge_t e) const {
    return static_cast<T>(weights[e]);
  }
};

/// The result of each row by the definition.
template <class T, class Value, class Combine>
std::vector<T> reduced_by_reference(const CsrPattern& graph, const Value& value,
                                    const Combine& combine) {
  std::vector<T> results;
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    std::vector<T> values;
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      values.push_back(value(u, graph.heads[e], e));
    }
    results.push_back(reduce_reference(std::move(values), combine, T{}));
  }
  return results;
}

}  // namespace warpgraph::test
