// Sizes of tasks of distributed graphs, which hold a part of the edges each, and of blocks of rows.
#pragma once

#include "plan/rates.hpp"

#include <string_view>

namespace warpgraph::plan {

/// Returns the bytes that a task takes, by its name.
[[nodiscard]] rates::TaskBytes bytes_of_task(std::string_view task);

/// Returns of how many of these rows predecessors are found at a time: they take at most half of
/// the memory.
[[nodiscard]] std::size_t rows_of_trees(std::size_t n_wanted, std::size_t bytes_a_row,
                                        std::size_t memory);

/// Returns the bytes of a new point of a fitted tree, of its neighbours and of its result.
[[nodiscard]] std::size_t bytes_to_place(std::size_t n_neighbours, std::size_t dimension,
                                         std::size_t bytes_of_result);

/// Returns how many of these new points, of so many bytes each, are placed at a time.
[[nodiscard]] std::size_t rows_to_place(std::size_t n_new, std::size_t bytes_a_row,
                                        std::size_t memory);

/// Returns the bytes of SciPy's tree of points, which is kept for all new ones.
[[nodiscard]] std::size_t bytes_of_tree(std::size_t n_points, std::size_t dimension);

/// Returns from how many queries a function computes the distances to n points at a time.
[[nodiscard]] std::int64_t queries_at_a_time(std::int64_t n_points);

}  // namespace warpgraph::plan
