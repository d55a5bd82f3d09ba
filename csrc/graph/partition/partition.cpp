#include "graph/partition/partition.hpp"

#include "core/error.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph {

namespace {

/// Divides n units into parts of about equal work: work_before(i) is the work of the first i units,
/// and a part that begins with a unit begins with vertex first_of(unit).
template <class WorkBefore, class FirstOf>
PartitionView divide(std::int64_t n, int n_parts, const WorkBefore& work_before,
                     const FirstOf& first_of) {
  EXPECTS(n_parts >= 1 && n_parts <= max_parts, "a partition has 1..", max_parts, " parts, got ",
          n_parts);
  PartitionView made;
  made.n_parts = n_parts;
  const std::int64_t work = work_before(n);
  for (int part = 1; part <= n_parts; ++part) {
    // Divided first, since the product of both may exceed 64 bits.
    const std::int64_t before = work / n_parts * part + work % n_parts * part / n_parts;
    std::int64_t first = 0;
    for (std::int64_t left = n; left > 0;) {  // the first unit with as much work before it
      const std::int64_t half = left / 2;
      const std::int64_t middle = first + half;
      if (work_before(middle) < before) {
        first = middle + 1;
        left -= half + 1;
      } else {
        left = half;
      }
    }
    made.begins[part] = static_cast<vertex_t>(first_of(part == n_parts ? n : first));
  }
  return made;
}

/// Upper bound on the number of blocks in which rows are counted.
constexpr std::int64_t max_blocks = 1 << 16;
/// Cost of an edge relative to reading an entry of a row in sequence: random reads of the trees of
/// its ends. By the cost model of mst/multi/team/team_forest.cuh that is eight times as long; four
/// divide the memory for the entries better.
constexpr std::int64_t edge_work = 4;

}  // namespace

PartitionView equal_arcs(const CsrPattern& graph, int n_parts) {
  return divide(
      graph.n_vertices, n_parts,
      [&](std::int64_t v) { return (v == 0 ? 0 : graph.offsets[v]) + v; },
      [](std::int64_t v) { return v; });
}

PartitionView equal_edges(const CsrPattern& graph, int n_parts) {
  const std::int64_t n_blocks = std::min<std::int64_t>(graph.n_vertices, max_blocks);
  const auto first_of = [&](std::int64_t block) {
    return n_blocks == 0 ? 0 : graph.n_vertices * block / n_blocks;
  };
  std::vector<std::int64_t> work(static_cast<std::size_t>(n_blocks) + 1);
  parallel_for(
      n_blocks,
      [&](std::int64_t block) {
        std::int64_t n_edges = 0;
        const auto last = static_cast<vertex_t>(first_of(block + 1));
        for (auto v = static_cast<vertex_t>(first_of(block)); v < last; ++v) {
          n_edges += std::count_if(graph.heads + graph.begin(v), graph.heads + graph.end(v),
                                   [v](vertex_t head) { return head > v; });
        }
        work[static_cast<std::size_t>(block)] = edge_work * n_edges + last - first_of(block) +
                                                graph.offsets[last] -
                                                graph.offsets[first_of(block)];
      },
      1);
  exclusive_scan_in_place(work.data(), n_blocks + 1);
  return divide(
      n_blocks, n_parts, [&](std::int64_t block) { return work[static_cast<std::size_t>(block)]; },
      first_of);
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
