#include "graph/assemble.hpp"

namespace warpgraph {
namespace {
constexpr std::int64_t rows_per_block = 256;
}

void remove_duplicates(Csr<Unweighted>& graph) {
  const auto n = static_cast<std::int64_t>(graph.offsets.size()) - 1;
  HostVector<edge_t> offsets(graph.offsets.size());
  offsets.back() = 0;
  const auto row = [&](std::int64_t v) {
    return graph.heads.begin() + graph.offsets[static_cast<std::size_t>(v)];
  };
  parallel_for(
      n,
      [&](std::int64_t v) {
        std::sort(row(v), row(v + 1));
        offsets[static_cast<std::size_t>(v)] = std::unique(row(v), row(v + 1)) - row(v);
      },
      rows_per_block);
  const edge_t n_arcs = exclusive_scan_in_place(offsets.data(), n + 1);
  MemoryBudget().require("removing duplicate edges",
                         static_cast<std::size_t>(n_arcs) * sizeof(vertex_t),
                         "use a smaller graph");
  HostVector<vertex_t> heads(static_cast<std::size_t>(n_arcs));
  parallel_for(
      n,
      [&](std::int64_t v) {
        const edge_t start = offsets[static_cast<std::size_t>(v)];
        std::copy_n(row(v), offsets[static_cast<std::size_t>(v) + 1] - start,
                    heads.begin() + start);
      },
      rows_per_block);
  graph.offsets = std::move(offsets);
  graph.heads = std::move(heads);
}

}  // namespace warpgraph
