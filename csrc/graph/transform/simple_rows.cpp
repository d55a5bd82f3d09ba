#include "graph/transform/simple_rows.hpp"

#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace warpgraph {
namespace {

constexpr std::int64_t rows_at_once = 256;

template <class W>
struct HeadAndWeight {
  vertex_t head;
  W weight;
  /// Orders the lightest of parallel arcs first.
  friend bool operator<(const HeadAndWeight& a, const HeadAndWeight& b) {
    return a.head < b.head || (a.head == b.head && a.weight < b.weight);
  }
};

/// Sorts a row. Returns the number of arcs that are left without parallel ones.
template <class W>
edge_t simplify_row(HeadAndWeight<W>* first, HeadAndWeight<W>* last) {
  std::sort(first, last);
  const auto parallel = [](const HeadAndWeight<W>& a, const HeadAndWeight<W>& b) {
    return a.head == b.head;
  };
  return std::unique(first, last, parallel) - first;
}

}  // namespace

bool has_simple_rows(const CsrPattern& graph) {
  const std::int64_t first_bad = parallel_find_first(graph.n_vertices, [&](std::int64_t row) {
    const auto u = static_cast<vertex_t>(row);
    const vertex_t* const last = graph.heads + graph.end(u);
    const auto descends = [](vertex_t a, vertex_t b) { return a >= b; };
    return std::adjacent_find(graph.heads + graph.begin(u), last, descends) != last;
  });
  return first_bad == graph.n_vertices;
}

template <class W>
MemoryNeed need_of_simple_rows(const CsrPattern& graph) {
  const std::size_t per_arc = sizeof(HeadAndWeight<W>) + sizeof(vertex_t) + sizeof(W);
  return {"sorting the rows of the graph",
          static_cast<std::size_t>(graph.n_vertices + 1) * sizeof(edge_t) +
              static_cast<std::size_t>(graph.n_arcs) * per_arc,
          "pass a matrix with sorted indices and without duplicates"};
}

template <class W>
Csr<W> to_simple_rows(const CsrView<W>& graph, MemoryBudget budget) {
  budget.require(need_of_simple_rows<W>(graph));
  HostVector<HeadAndWeight<W>> arcs(static_cast<std::size_t>(graph.n_arcs));
  Csr<W> simple;
  simple.offsets.resize(static_cast<std::size_t>(graph.n_vertices) + 1);
  simple.offsets.back() = 0;
  parallel_for(
      graph.n_vertices,
      [&](std::int64_t row) {
        const auto u = static_cast<vertex_t>(row);
        for (edge_t e = graph.begin(u), end = graph.end(u); e < end; ++e) {
          arcs[static_cast<std::size_t>(e)] = {graph.heads[e],
                                               graph.weights != nullptr ? graph.weights[e] : W{1}};
        }
        simple.offsets[static_cast<std::size_t>(u)] =
            simplify_row(arcs.data() + graph.begin(u), arcs.data() + graph.end(u));
      },
      rows_at_once);
  const edge_t n_arcs = exclusive_scan_in_place(simple.offsets.data(), graph.n_vertices + 1);
  simple.heads.resize(static_cast<std::size_t>(n_arcs));
  if (graph.weights != nullptr) simple.weights.resize(static_cast<std::size_t>(n_arcs));
  parallel_for(
      graph.n_vertices,
      [&](std::int64_t row) {
        const auto u = static_cast<std::size_t>(row);
        const HeadAndWeight<W>* from = arcs.data() + graph.begin(static_cast<vertex_t>(row));
        for (auto e = static_cast<std::size_t>(simple.offsets[u]),
                  end = static_cast<std::size_t>(simple.offsets[u + 1]);
             e < end; ++e, ++from) {
          simple.heads[e] = from->head;
          if (graph.weights != nullptr) simple.weights[e] = from->weight;
        }
      },
      rows_at_once);
  return simple;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(need_of_simple_rows)
WARPGRAPH_INSTANTIATE_FUNCTION(need_of_simple_rows, std::int64_t)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(to_simple_rows)
WARPGRAPH_INSTANTIATE_FUNCTION(to_simple_rows, std::int64_t)

}  // namespace warpgraph
