#include "graph/transform/reorder.hpp"

#include "core/atomics.hpp"
#include "core/containers/radix_sort.hpp"
#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/transform/row_blocks.hpp"

#include <bit>

namespace warpgraph {

HostVector<vertex_t> order_by_degree(const CsrPattern& graph) {
  const auto sorted = sorted_by_key(graph.n_vertices, [&](std::int64_t v) {
    return ~static_cast<std::uint64_t>(graph.degree(static_cast<vertex_t>(v)));
  });
  HostVector<vertex_t> order(static_cast<std::size_t>(graph.n_vertices));
  parallel_for(graph.n_vertices, [&](std::int64_t i) {
    order[static_cast<std::size_t>(i)] = static_cast<vertex_t>(sorted[i].index);
  });
  return order;
}

HostVector<vertex_t> vertex_order(const CsrPattern& graph, OrderStrategy strategy) {
  if (strategy == OrderStrategy::degree) return order_by_degree(graph);
  if (strategy == OrderStrategy::communities) return order_by_communities(graph);
  return order_by_reverse_cuthill_mckee(graph);
}

HostVector<vertex_t> inverse_order(std::span<const vertex_t> order) {
  const auto n = static_cast<vertex_t>(order.size());
  HostVector<vertex_t> inverse(order.size());
  parallel_for(n, [&](std::int64_t i) { inverse[static_cast<std::size_t>(i)] = no_vertex; });
  const std::int64_t bad = parallel_find_first(n, [&](std::int64_t i) {
    const vertex_t v = order[static_cast<std::size_t>(i)];
    return v < 0 || v >= n;
  });
  EXPECTS(bad == n, "order[", bad, "] is ", order[static_cast<std::size_t>(bad)],
          ", which is not a vertex of ", vertex_range(n));
  parallel_for(n, [&](std::int64_t i) {
    relaxed_store(inverse[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])],
                  static_cast<vertex_t>(i));
  });
  const std::int64_t missing = parallel_find_first(
      n, [&](std::int64_t v) { return inverse[static_cast<std::size_t>(v)] == no_vertex; });
  EXPECTS(missing == n, "vertex ", missing, " is missing in order, so another one occurs twice");
  return inverse;
}

template <class W>
PermutedGraph<W> permute(const CsrView<W>& graph, std::span<const vertex_t> order,
                         bool wants_positions) {
  EXPECTS(static_cast<vertex_t>(order.size()) == graph.n_vertices, "order has ", order.size(),
          " items, but the graph has ", graph.n_vertices, " vertices");
  const auto n_arcs = static_cast<std::size_t>(graph.n_arcs);
  MemoryBudget().require("renumbering the graph",
                         n_arcs * (sizeof(vertex_t) + sizeof(W)) +
                             (wants_positions ? n_arcs * sizeof(edge_t) : 0) +
                             order.size() * (sizeof(edge_t) + sizeof(vertex_t)),
                         "use a smaller graph");
  const HostVector<vertex_t> number = inverse_order(order);
  PermutedGraph<W> result;
  HostVector<edge_t>& offsets = result.graph.offsets;
  offsets.resize(order.size() + 1);
  parallel_for(graph.n_vertices, [&](std::int64_t i) {
    offsets[static_cast<std::size_t>(i)] = graph.degree(order[static_cast<std::size_t>(i)]);
  });
  offsets.back() = exclusive_scan_in_place(offsets.data(), graph.n_vertices);
  result.graph.heads.resize(n_arcs);
  result.graph.weights.resize(n_arcs);
  if (wants_positions) result.positions.resize(n_arcs);
  const CsrPattern renumbered{graph.n_vertices, graph.n_arcs, Offsets(offsets.data()), nullptr};
  RowBlocks(renumbered).for_each([&](std::int64_t, vertex_t first, vertex_t last) {
    for (vertex_t i = first; i < last; ++i) {
      auto to = static_cast<std::size_t>(renumbered.begin(i));
      const vertex_t u = order[static_cast<std::size_t>(i)];
      for (edge_t e = graph.begin(u); e < graph.end(u); ++e, ++to) {
        result.graph.heads[to] = number[static_cast<std::size_t>(graph.heads[e])];
        result.graph.weights[to] = graph.weights[e];
        if (wants_positions) result.positions[to] = e;
      }
    }
  });
  return result;
}

double mean_gap_bits(const CsrPattern& graph) {
  constexpr edge_t block = 1 << 15;
  const std::int64_t bits = parallel_reduce(
      (graph.n_arcs + block - 1) / block, std::int64_t{0},
      [&](std::int64_t b) {
        std::int64_t sum = 0;
        for_each_arc(graph, b * block, std::min((b + 1) * block, graph.n_arcs),
                     [&](vertex_t u, vertex_t v, edge_t) {
                       sum += std::bit_width(static_cast<std::uint32_t>(std::max(u, v)) -
                                             static_cast<std::uint32_t>(std::min(u, v)));
                     });
        return sum;
      },
      std::plus<>{}, 1);
  return graph.n_arcs == 0 ? 0.0 : static_cast<double>(bits) / static_cast<double>(graph.n_arcs);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(permute)

}  // namespace warpgraph
