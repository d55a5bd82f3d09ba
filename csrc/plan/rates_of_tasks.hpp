// The part of rates.hpp about the memory of tasks of distributed graphs.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace warpgraph::plan::rates {

/// Bytes that a task takes of each edge or arc that it reads, with copies, and of each vertex of
/// the graph or of its own range. Peaks of bench_distributed.py, 2026-11-23.
struct TaskBytes {
  std::string_view task;
  std::int64_t of_an_edge;
  std::int64_t of_a_vertex;
};
inline constexpr std::array tasks{
    TaskBytes{"components", 60, 40},      // ends as read, as int32, and in the CSR arrays
    TaskBytes{"cut", 110, 0},             // arcs as read, in their order by ranges, and copies
    TaskBytes{"forest", 80, 240},         // ends as int32, weight, key, CSR arrays and the search
    TaskBytes{"many_to_many", 60, 24},    // a block; putting the whole graph together
    TaskBytes{"merged forests", 200, 0},  // edges of forests
    TaskBytes{"pagerank", 100, 72},       // while a matrix is made; a vertex of a range
    TaskBytes{"all scores", 0, 8},        // of PageRank
    TaskBytes{"renumbering", 160, 0},     // reading, sorting names, copies, and numbers
    TaskBytes{"search", 64, 44},          // while a part is made; a vertex of the graph
    TaskBytes{"search of a range", 0, 36},
    TaskBytes{"statistics", 60, 24},
};
/// The scores of all vertices take at most a task's memory divided by this. An estimate.
inline constexpr std::int64_t memory_to_all_scores = 4;
/// Copies of the edges while a task puts the whole graph together. Counted.
inline constexpr std::int64_t copies_of_a_whole_graph = 4;
/// The most edges that a task reads at a time, also where its memory is not known, the fewest, and
/// the fewest arcs of a part: to read fewer takes less time than to start a task. Estimates.
inline constexpr std::int64_t most_edges_at_a_time = 1 << 24;
inline constexpr std::int64_t fewest_edges_at_a_time = 1 << 12;
inline constexpr std::int64_t fewest_arcs_of_a_part = 1 << 12;

}  // namespace warpgraph::plan::rates
