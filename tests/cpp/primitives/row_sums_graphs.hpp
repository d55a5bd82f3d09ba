// Graphs and values for the tests of sums over rows.
#pragma once

#include "primitives/row_sums/row_sums.hpp"
#include "support.hpp"

namespace warpgraph::test {

/// A row of each degree at which the order changes, empty rows between them, and many short ones.
/// Weights are such that every other order gives another sum.
inline Csr<double> graph_of_all_orders() {
  std::vector<edge_t> degrees{0,    1,    2,    3,      4,      5,      7,      8,       9,
                              15,   16,   17,   0,      255,    256,    257,    264,     265,
                              512,  513,  2000, 2048,   2049,   2056,   2057,   2304,    2305,
                              4096, 4097, 0,    65'535, 65'536, 65'537, 70'000, 1 << 20, 0,
                              3,    300,  300,  300,    300,    300,    300,    300,     5};
  for (int i = 0; i < 1000; ++i) degrees.push_back(i % 23);
  for (int i = 0; i < 3000; ++i) degrees.push_back(i % 1100 == 0 ? 2 : 0);
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

/// A value that depends on both arguments.
struct WeightTimesHead {
  const double* weights;
  WARPGRAPH_HOST_DEVICE double operator()(vertex_t head, edge_t position) const {
    return weights[position] * static_cast<double>(head + 1);
  }
};

/// The sum of each row by the definition.
template <class Value>
std::vector<double> row_sums_by_reference(const CsrPattern& graph, const Value& value) {
  std::vector<double> sums;
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    std::vector<double> values;
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      values.push_back(value(graph.heads[e], e));
    }
    sums.push_back(row_sum_reference(std::move(values)));
  }
  return sums;
}

}  // namespace warpgraph::test
