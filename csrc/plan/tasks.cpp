#include "plan/tasks.hpp"

#include "core/error.hpp"

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

std::int64_t queries_at_a_time(std::int64_t n_points) {
  return std::max<std::int64_t>(rates::distances_of_queries / n_points, 1);
}

}  // namespace warpgraph::plan
