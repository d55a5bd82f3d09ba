#include "algorithms/pagerank/order/gather_order.hpp"

#include "algorithms/pagerank/host_sweep.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/transform/reorder.hpp"

#include <array>

namespace warpgraph {
namespace pagerank {
namespace {

std::array<std::span<const double>, 4> arrays_of(const PageRankVectors& vectors) {
  return {vectors.weight_sums, vectors.personalization, vectors.dangling, vectors.start};
}

/// Returns the bytes of a call: of its vectors and scores in the other order, and of its sweeps.
std::size_t bytes_in_order(const CsrPattern& transposed, const PageRankVectors& vectors,
                           std::size_t n_endpoints) {
  auto n_numbers = static_cast<std::size_t>(transposed.n_vertices);
  for (const std::span<const double> given : arrays_of(vectors)) n_numbers += given.size();
  return n_numbers * sizeof(double) + bytes_of_sweeps(transposed, n_endpoints);
}

template <class W>
std::size_t bytes_of_order(const CsrView<W>& transposed) {
  const auto n = static_cast<std::size_t>(transposed.n_vertices);
  const auto n_arcs = static_cast<std::size_t>(transposed.n_arcs);
  return (n + 1) * sizeof(edge_t) + n_arcs * (sizeof(vertex_t) + sizeof(W)) + n * sizeof(vertex_t);
}

/// The vectors of a call in another order of the vertices.
class VectorsInOrder {
 public:
  VectorsInOrder(const PageRankVectors& vectors, std::span<const vertex_t> order) {
    const auto given = arrays_of(vectors);
    for (std::size_t k = 0; k < given.size(); ++k) {
      if (given[k].empty()) continue;
      items_[k].resize(order.size());
      parallel_for(static_cast<std::int64_t>(order.size()), [&](std::int64_t i) {
        const auto place = static_cast<std::size_t>(i);
        items_[k][place] = given[k][static_cast<std::size_t>(order[place])];
      });
    }
  }

  [[nodiscard]] PageRankVectors view() const {
    return {items_[0], items_[1], items_[2], items_[3]};
  }

 private:
  std::array<HostVector<double>, 4> items_;
};

}  // namespace
}  // namespace pagerank

template <class W>
std::optional<GatherOrder<W>> order_for_gathers(const CsrView<W>& transposed,
                                                const CsrPattern& graph,
                                                const PageRankVectors& vectors,
                                                std::size_t n_endpoints, MemoryBudget budget) {
  // What the making takes for a time is less than what the call takes after it.
  const std::size_t needed = pagerank::bytes_of_order(transposed) +
                             pagerank::bytes_in_order(transposed, vectors, n_endpoints);
  if (!budget.has(needed)) return std::nullopt;
  HostVector<vertex_t> order = order_by_degree(graph);
  Csr<W> renumbered = permute(transposed, order, false).graph;
  return GatherOrder<W>{std::move(renumbered), std::move(order)};
}

bool has_memory_in_order(const CsrPattern& transposed, const PageRankVectors& vectors,
                         std::size_t n_endpoints, MemoryBudget budget) {
  return budget.has(pagerank::bytes_in_order(transposed, vectors, n_endpoints));
}

template <class W>
PageRankResult pagerank_in_order(const CsrView<W>& renumbered, std::span<const vertex_t> order,
                                 const PageRankVectors& vectors, const PageRankOptions& options,
                                 PageRankScores scores, const std::vector<Device>& devices) {
  const std::size_t needed = pagerank::bytes_in_order(renumbered, vectors, devices.size());
  const std::size_t of_sweeps = pagerank::bytes_of_sweeps(renumbered, devices.size());
  PageRankOptions of_call = options;
  of_call.budget = options.budget.after(needed - of_sweeps);
  const pagerank::VectorsInOrder in_order(vectors, order);
  HostVector<double> found(order.size());
  const PageRankResult result =
      devices.size() > 1 ? pagerank_multi(renumbered, in_order.view(), of_call, {found}, devices)
                         : pagerank_cpu(renumbered, in_order.view(), of_call, {found});
  parallel_for(renumbered.n_vertices, [&](std::int64_t i) {
    const auto place = static_cast<std::size_t>(i);
    scores.items[static_cast<std::size_t>(order[place])] = found[place];
  });
  return result;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(order_for_gathers)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(pagerank_in_order)

}  // namespace warpgraph
