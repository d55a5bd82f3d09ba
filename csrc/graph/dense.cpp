#include "graph/dense.hpp"

#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <cmath>

namespace warpgraph {
namespace {

/// Number of entries of a block: fewer take less time than another thread needs to start.
constexpr std::size_t entries_per_block = 1 << 15;

template <class W>
bool is_edge(W value, bool has_mask, bool is_masked) {
  if constexpr (std::is_floating_point_v<W>) {
    if (!std::isfinite(value)) return false;
  }
  return has_mask ? !is_masked : value != W{0};
}

}  // namespace

template <class W>
Csr<W> csr_from_dense(vertex_t n_vertices, std::span<const W> values,
                      std::span<const bool> masked) {
  const auto n = static_cast<std::size_t>(n_vertices);
  EXPECTS(values.size() == n * n && (masked.empty() || masked.size() == n * n), "a dense graph of ",
          n, " vertices has ", n * n, " entries, got ", values.size());
  const auto edge_at = [&](std::size_t i) {
    return is_edge(values[i], !masked.empty(), !masked.empty() && masked[i]);
  };
  const auto rows_in_block = static_cast<std::int64_t>(
      std::max<std::size_t>(1, entries_per_block / std::max<std::size_t>(n, 1)));
  Csr<W> graph;
  graph.offsets.assign(n + 1, 0);
  parallel_for(
      n_vertices,
      [&](std::int64_t row) {
        const std::size_t first = static_cast<std::size_t>(row) * n;
        edge_t count = 0;
        for (std::size_t v = 0; v < n; ++v) count += edge_at(first + v) ? 1 : 0;
        graph.offsets[static_cast<std::size_t>(row)] = count;
      },
      rows_in_block);
  const auto n_arcs = static_cast<std::size_t>(
      exclusive_scan_in_place(graph.offsets.data(), static_cast<std::int64_t>(n + 1)));
  MemoryBudget().require("reading the edges of a dense matrix",
                         n_arcs * (sizeof(vertex_t) + sizeof(W)), "pass a sparse matrix");
  graph.heads.resize(n_arcs);
  graph.weights.resize(n_arcs);
  parallel_for(
      n_vertices,
      [&](std::int64_t row) {
        const std::size_t first = static_cast<std::size_t>(row) * n;
        auto slot = static_cast<std::size_t>(graph.offsets[static_cast<std::size_t>(row)]);
        for (std::size_t v = 0; v < n; ++v) {
          if (!edge_at(first + v)) continue;
          graph.heads[slot] = static_cast<vertex_t>(v);
          graph.weights[slot] = values[first + v];
          ++slot;
        }
      },
      rows_in_block);
  return graph;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(csr_from_dense)

}  // namespace warpgraph
