#include "plan/tasks.hpp"

#include "core/error.hpp"
#include "plan/rates_of_points.hpp"

#include <algorithm>

namespace warpgraph::plan {

rates::TaskBytes bytes_of_task(std::string_view task) {
  const auto found = std::ranges::find(rates::tasks, task, &rates::TaskBytes::task);
  EXPECTS(found != rates::tasks.end(), "nothing is known of the memory of tasks of ", task);
  return *found;
}

std::size_t rows_of_trees(std::size_t n_wanted, std::size_t bytes_a_row, std::size_t memory) {
  const std::size_t that_fit = memory / 2 / std::max<std::size_t>(bytes_a_row, 1);
  return std::max<std::size_t>(std::min({n_wanted, rates::rows_of_trees, that_fit}), 1);
}

std::size_t bytes_to_place(std::size_t n_neighbours, std::size_t dimension,
                           std::size_t bytes_of_result) {
  return rates::bytes_of_a_placed_neighbour * n_neighbours +
         rates::bytes_of_a_placed_coordinate * dimension + bytes_of_result;
}

std::size_t rows_to_place(std::size_t n_new, std::size_t bytes_a_row, std::size_t memory) {
  const std::size_t that_fit = std::min(memory, rates::bytes_to_place_at_once) / bytes_a_row;
  return std::min({n_new, rates::rows_to_place_at_once, std::max<std::size_t>(that_fit, 1)});
}

std::size_t bytes_of_tree(std::size_t n_points, std::size_t dimension) {
  return sizeof(double) * n_points * (dimension + rates::numbers_of_a_point_in_a_tree);
}

std::int64_t queries_at_a_time(std::int64_t n_points) {
  return std::max<std::int64_t>(rates::distances_of_queries / n_points, 1);
}

}  // namespace warpgraph::plan
