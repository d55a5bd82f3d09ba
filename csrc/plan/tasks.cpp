#include "plan/tasks.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace warpgraph::plan {

rates::TaskBytes bytes_of_task(std::string_view task) {
  const auto found = std::ranges::find(rates::tasks, task, &rates::TaskBytes::task);
  EXPECTS(found != rates::tasks.end(), "nothing is known of the memory of tasks of ", task);
  return *found;
}

}  // namespace warpgraph::plan
