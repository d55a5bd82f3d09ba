#include "algorithms/mst/mst.hpp"
#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/transform/group_arcs.hpp"
#include "graph/transform/sort_rows.hpp"

namespace warpgraph {

template <class W>
UpperTriangle<W> arrange_edges(const EdgeSet<W>& edges, std::size_t memory_limit) {
  const auto n = static_cast<std::int64_t>(edges.weights.size());
  EXPECTS(edges.ends.size() == 2 * edges.weights.size() && edges.ids.size() == edges.weights.size(),
          "an edge has two ends, a weight and an id; got ", edges.ends.size(), " ends, ", n,
          " weights and ", edges.ids.size(), " ids");
  const std::int64_t bad = parallel_find_first(2 * n, [&](std::int64_t i) {
    const vertex_t v = edges.ends[static_cast<std::size_t>(i)];
    return v < 0 || v >= edges.n_vertices;
  });
  EXPECTS(bad == 2 * n, "edges[", bad / 2, "] ends in ", edges.ends[static_cast<std::size_t>(bad)],
          ", which is not a vertex of ", vertex_range(edges.n_vertices));
  Csr<edge_t> numbers = group_arcs<edge_t>(
      "arranging the edges", edges.n_vertices, n,
      [&](std::int64_t first, std::int64_t last, auto&& emit) {
        for (std::int64_t i = first; i < last; ++i) {
          const vertex_t a = edges.ends[static_cast<std::size_t>(2 * i)];
          const vertex_t b = edges.ends[static_cast<std::size_t>(2 * i + 1)];
          if (a != b) emit(std::min(a, b), std::max(a, b), i);
        }
      },
      memory_limit);
  HostVector<edge_t> ids(numbers.weights.size());
  parallel_for(static_cast<std::int64_t>(ids.size()), [&](std::int64_t e) {
    const auto slot = static_cast<std::size_t>(e);
    ids[slot] = edges.ids[static_cast<std::size_t>(numbers.weights[slot])];
  });
  CsrView<edge_t> by_id = numbers.view();
  by_id.weights = ids.data();
  const std::size_t held = numbers.offsets.size() * sizeof(edge_t) +
                           ids.size() * (2 * sizeof(edge_t) + sizeof(vertex_t));
  SortedRows<edge_t> sorted = sort_rows(by_id, false, left_of_limit(memory_limit, held));
  // All that is not needed for the result goes before its arrays come.
  ids = HostVector<edge_t>();
  numbers.heads = HostVector<vertex_t>();
  sorted.weights = HostVector<edge_t>();
  UpperTriangle<W> result;
  const std::size_t n_arranged = numbers.weights.size();
  result.positions.resize(n_arranged);
  result.graph.weights.resize(n_arranged);
  parallel_for(static_cast<std::int64_t>(n_arranged), [&](std::int64_t e) {
    const auto slot = static_cast<std::size_t>(e);
    const edge_t number = numbers.weights[static_cast<std::size_t>(sorted.positions[slot])];
    result.positions[slot] = number;
    result.graph.weights[slot] = edges.weights[static_cast<std::size_t>(number)];
  });
  result.graph.offsets = std::move(numbers.offsets);
  result.graph.heads = std::move(sorted.heads);
  return result;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(arrange_edges)

}  // namespace warpgraph
