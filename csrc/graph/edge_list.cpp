#include "graph/edge_list.hpp"

#include "core/error.hpp"
#include "graph/transform/group_arcs.hpp"

namespace warpgraph {
namespace {

template <class Index>
void validate_ends(std::span<const Index> ends, vertex_t n_vertices, const char* name) {
  const auto n = static_cast<std::int64_t>(ends.size());
  const Index* values = ends.data();
  const std::int64_t bad = parallel_find_first(
      n, [&](std::int64_t i) { return values[i] < 0 || values[i] >= Index{n_vertices}; });
  EXPECTS(bad == n, name, " index ", values[bad], " of entry ", bad, " is not a vertex of ",
          vertex_range(n_vertices));
}

constexpr std::int64_t rows_per_count = 256;

/// Counts heads that a row has repeatedly, with a bit for each vertex: sorting the rows of a
/// shuffled R-MAT graph took as long as making it.
class RepeatedHeads {
 public:
  [[nodiscard]] edge_t count(std::span<const vertex_t> heads, vertex_t n_vertices) {
    // Whether each head is less than the next one.
    const auto repeats = std::adjacent_find(heads.begin(), heads.end(), std::greater_equal<>());
    if (repeats == heads.end()) return 0;
    if (seen_.empty()) seen_.resize(static_cast<std::size_t>(n_vertices) / 64 + 1);
    edge_t repeated = 0;
    for (const vertex_t head : heads) {
      std::uint64_t& word = seen_[static_cast<std::size_t>(head) / 64];
      const std::uint64_t bit = std::uint64_t{1} << (head % 64);
      repeated += (word & bit) != 0;
      word |= bit;
    }
    for (const vertex_t head : heads) seen_[static_cast<std::size_t>(head) / 64] = 0;
    return repeated;
  }

 private:
  std::vector<std::uint64_t> seen_;  // all 0 between rows
};

}  // namespace

template <class Index, class W>
Csr<W> to_csr(const EdgeListView<Index, W>& edges) {
  EXPECTS(edges.heads.size() == edges.tails.size() && edges.weights.size() == edges.tails.size(),
          "an edge list has as many rows as columns and weights, got ", edges.tails.size(),
          " rows, ", edges.heads.size(), " columns and ", edges.weights.size(), " weights");
  validate_ends(edges.tails, edges.n_vertices, "row");
  validate_ends(edges.heads, edges.n_vertices, "column");
  return group_arcs<W>("building the graph from edges", edges.n_vertices,
                       static_cast<std::int64_t>(edges.tails.size()),
                       [&](std::int64_t first, std::int64_t last, auto&& emit) {
                         for (auto i = static_cast<std::size_t>(first);
                              i < static_cast<std::size_t>(last); ++i) {
                           emit(static_cast<vertex_t>(edges.tails[i]),
                                static_cast<vertex_t>(edges.heads[i]), edges.weights[i]);
                         }
                       });
}

void write_tails(const CsrPattern& graph, std::span<vertex_t> tails) {
  EXPECTS(static_cast<edge_t>(tails.size()) == graph.n_arcs, "the graph has ", graph.n_arcs,
          " edges, but there is room for ", tails.size(), " tails");
  // The loop is divided by position, not by row: one long row would leave all threads but one idle.
  parallel_blocks(graph.n_arcs, default_grain * 8, [&](int, edge_t first, edge_t last) {
    for_each_arc(graph, first, last,
                 [&](vertex_t u, vertex_t, edge_t e) { tails[static_cast<std::size_t>(e)] = u; });
  });
}

edge_t count_parallel_arcs(const CsrPattern& graph) {
  std::vector<RepeatedHeads> of_thread(static_cast<std::size_t>(num_threads()));
  std::atomic<edge_t> total{0};
  parallel_blocks(graph.n_vertices, rows_per_count, [&](int thread, edge_t first, edge_t last) {
    RepeatedHeads& heads = of_thread[static_cast<std::size_t>(thread)];
    edge_t repeated = 0;
    for (auto u = static_cast<vertex_t>(first); u < last; ++u) {
      const auto degree = static_cast<std::size_t>(graph.degree(u));
      repeated += heads.count({graph.heads + graph.begin(u), degree}, graph.n_vertices);
    }
    total.fetch_add(repeated, std::memory_order_relaxed);
  });
  return total.load();
}

#define WARPGRAPH_INSTANTIATE(W)                                \
  template Csr<W> to_csr(const EdgeListView<std::int32_t, W>&); \
  template Csr<W> to_csr(const EdgeListView<std::int64_t, W>&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
