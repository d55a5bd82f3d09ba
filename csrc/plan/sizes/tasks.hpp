// Sizes of tasks of distributed graphs, which hold a part of the edges each, and of blocks of rows.
#pragma once

#include "plan/rates.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpgraph::plan {

namespace rates {

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

}  // namespace rates

/// Returns of how many of these rows predecessors are found at a time: they take at most half of
/// the memory.
[[nodiscard]] std::size_t rows_of_trees(std::size_t n_wanted, std::size_t bytes_a_row,
                                        std::size_t memory);

/// Returns the bytes of a new point of a fitted tree, of its neighbours and of its result: how much
/// it belongs to each of n clusters, or, for none, its label with a number.
[[nodiscard]] std::size_t bytes_to_place(std::size_t n_neighbours, std::size_t dimension,
                                         std::size_t n_clusters);

/// Returns how many of these new points, of so many bytes each, are placed at a time.
[[nodiscard]] std::size_t rows_to_place(std::size_t n_new, std::size_t bytes_a_row,
                                        std::size_t memory);

/// Returns the bytes of SciPy's tree of points, which is kept for all new ones.
[[nodiscard]] std::size_t bytes_of_tree(std::size_t n_points, std::size_t dimension);

/// Returns from how many queries a function computes the distances to n points at a time.
[[nodiscard]] std::int64_t queries_at_a_time(std::int64_t n_points);

// Tasks of distributed graphs, by their names. Limits are of the bytes that a task may take; 0:
// none is known.

/// Returns the bytes that a task takes.
[[nodiscard]] rates::TaskBytes bytes_of_task(std::string_view task);

/// Returns how many edges a task reads at a time, beside numbers of so many vertices. It has
/// several arcs for each, if edges are to be stored both ways.
[[nodiscard]] std::int64_t edges_at_a_time(std::string_view task, std::int64_t limit,
                                           std::int64_t n_vertices, std::int64_t arcs_an_edge);

/// Returns how many arcs a task holds at most, beside numbers of all vertices and of those of the
/// largest range. Throws OutOfMemory, which names the caller's `function`, if these are too many.
[[nodiscard]] std::int64_t arcs_of_a_part(std::string_view task, std::string_view function,
                                          std::int64_t limit, std::int64_t n_vertices,
                                          std::int64_t n_of_a_range);

/// Returns whether a task of PageRank has memory for the scores of all vertices.
[[nodiscard]] bool hold_all_scores(std::int64_t limit, std::int64_t n_vertices);

/// Returns how many forests a task merges at a time: as many as are wanted, if they fit.
[[nodiscard]] std::int64_t forests_at_a_time(std::int64_t n_wanted, std::int64_t limit,
                                             std::int64_t n_vertices);

/// Throws OutOfMemory if a task cannot put together a whole graph that has edges of so many bytes.
void require_whole_graph(std::int64_t limit, std::int64_t n_vertices, std::int64_t bytes_of_edges);

}  // namespace warpgraph::plan
