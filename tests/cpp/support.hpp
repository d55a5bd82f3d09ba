// What several tests use: a number of threads for a scope, messages of exceptions, small graphs.
#pragma once

#include "core/device.hpp"
#include "core/threads/parallel.hpp"
#include "graph/csr.hpp"
#include "graph/generate/random.hpp"

#include <ostream>
#include <string>
#include <tuple>
#include <vector>

namespace warpgraph {

/// Writes the name of a device into the names of tests.
inline void PrintTo(const Device& device, std::ostream* os) { *os << device.name(); }

}  // namespace warpgraph

namespace warpgraph::test {

class ScopedThreads {
 public:
  explicit ScopedThreads(int n) { set_num_threads(n); }
  ~ScopedThreads() { set_num_threads(0); }
  ScopedThreads(const ScopedThreads&) = delete;
  ScopedThreads& operator=(const ScopedThreads&) = delete;
};

/// The message of the exception that `call` throws, or "" if it throws none.
template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

/// `arcs` random arcs with integer weights 0..99; parallel arcs and loops occur.
template <class W>
Csr<W> random_graph(vertex_t n_vertices, edge_t arcs, std::uint64_t seed) {
  const CounterRandom tails(seed, 0);
  const CounterRandom heads(seed, 1);
  const CounterRandom weights(seed, 2);
  const auto n = static_cast<std::size_t>(n_vertices);
  std::vector<std::vector<vertex_t>> rows(n);
  for (std::uint64_t e = 0; e < static_cast<std::uint64_t>(arcs); ++e) {
    rows[tails.below(e, n)].push_back(static_cast<vertex_t>(heads.below(e, n)));
  }
  Csr<W> graph;
  for (const std::vector<vertex_t>& row : rows) {
    for (const vertex_t head : row) {
      graph.weights.push_back(static_cast<W>(weights.below(graph.heads.size(), 100)));
      graph.heads.push_back(head);
    }
    graph.offsets.push_back(static_cast<edge_t>(graph.heads.size()));
  }
  return graph;
}

template <class R>
using Arcs = std::vector<std::tuple<vertex_t, vertex_t, R>>;

/// Arcs must be sorted by tails.
template <class R>
Csr<R> graph_of(vertex_t n_vertices, const Arcs<R>& arcs) {
  Csr<R> graph;
  std::size_t next = 0;
  for (vertex_t u = 0; u < n_vertices; ++u) {
    for (; next < arcs.size() && std::get<0>(arcs[next]) == u; ++next) {
      graph.heads.push_back(std::get<1>(arcs[next]));
      graph.weights.push_back(std::get<2>(arcs[next]));
    }
    graph.offsets.push_back(static_cast<edge_t>(next));
  }
  return graph;
}

/// Two complete graphs with one arc of 5 from the first to the second.
inline Csr<std::int32_t> two_cliques(vertex_t side, std::int32_t weight) {
  Arcs<std::int32_t> arcs;
  for (vertex_t u = 0; u < 2 * side; ++u) {
    for (vertex_t v = 0; v < 2 * side; ++v) {
      if (u / side == v / side && u != v) arcs.emplace_back(u, v, weight);
    }
    if (u == side - 1) arcs.emplace_back(u, side, 5);
  }
  return graph_of(2 * side, arcs);
}

}  // namespace warpgraph::test
