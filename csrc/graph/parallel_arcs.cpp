#include "graph/parallel_arcs.hpp"

#include "core/threads/parallel.hpp"

namespace warpgraph {
namespace {

constexpr std::int64_t rows_per_block = 256;

edge_t count_in_row(std::span<const vertex_t> heads, HostVector<vertex_t>& sorted) {
  // Whether each head is less than the next one.
  if (std::adjacent_find(heads.begin(), heads.end(), std::greater_equal<>()) == heads.end()) {
    return 0;
  }
  sorted.assign(heads.begin(), heads.end());
  std::sort(sorted.begin(), sorted.end());
  edge_t repeated = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) repeated += sorted[i] == sorted[i - 1];
  return repeated;
}

}  // namespace

edge_t count_parallel_arcs(const CsrPattern& graph) {
  std::atomic<edge_t> total{0};
  parallel_blocks(graph.n_vertices, rows_per_block, [&](int, std::int64_t first, std::int64_t end) {
    HostVector<vertex_t> sorted;
    edge_t repeated = 0;
    for (auto u = static_cast<vertex_t>(first); u < end; ++u) {
      const auto degree = static_cast<std::size_t>(graph.degree(u));
      repeated += count_in_row({graph.heads + graph.begin(u), degree}, sorted);
    }
    total.fetch_add(repeated, std::memory_order_relaxed);
  });
  return total.load();
}

}  // namespace warpgraph
