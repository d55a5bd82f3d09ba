// What several tests use: a number of threads for a scope, messages of exceptions, random graphs.
#pragma once

#include "core/threads/parallel.hpp"
#include "graph/csr.hpp"
#include "graph/generate/random.hpp"

#include <string>
#include <vector>

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

}  // namespace warpgraph::test
