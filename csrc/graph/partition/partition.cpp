#include "graph/partition/partition.hpp"

#include "core/error.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>

namespace warpgraph {

PartitionView equal_arcs(const CsrPattern& graph, int n_parts) {
  EXPECTS(n_parts >= 1 && n_parts <= most_parts, "a partition has 1..", most_parts, " parts, got ",
          n_parts);
  PartitionView made;
  made.n_parts = n_parts;
  const std::int64_t n = graph.n_vertices;
  const std::int64_t work = graph.n_arcs + n;
  for (int part = 1; part <= n_parts; ++part) {
    // In steps: the product of both may exceed 64 bits.
    const std::int64_t before = work / n_parts * part + work % n_parts * part / n_parts;
    std::int64_t first = 0;
    for (std::int64_t left = n; left > 0;) {  // the first vertex with as much work before it
      const std::int64_t half = left / 2;
      const std::int64_t middle = first + half;
      if (graph.offsets[middle] + middle < before) {
        first = middle + 1;
        left -= half + 1;
      } else {
        left = half;
      }
    }
    made.begins[part] = static_cast<vertex_t>(part == n_parts ? n : first);
  }
  return made;
}

GraphPart::GraphPart(const CsrPattern& graph, const PartitionView& partition, int part) {
  const vertex_t begin = partition.begin(part);
  const vertex_t n = partition.size(part);
  if (graph.n_vertices > 0) first_arc = graph.offsets[begin];
  offsets.resize(static_cast<std::size_t>(n) + 1);
  parallel_for(std::int64_t{n} + 1, [&](std::int64_t u) {
    offsets[static_cast<std::size_t>(u)] =
        graph.n_vertices > 0 ? graph.offsets[begin + u] - first_arc : 0;
  });
  rows.n_vertices = n;
  rows.n_arcs = offsets.back();
  rows.offsets = Offsets(offsets.data());
  rows.heads = graph.heads + first_arc;
}

}  // namespace warpgraph
