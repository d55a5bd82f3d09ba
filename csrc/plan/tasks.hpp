// Tasks of distributed graphs, which hold a part of the edges each.
#pragma once

#include "plan/rates.hpp"

#include <string_view>

namespace warpgraph::plan {

/// Returns the bytes that a task takes, by its name.
[[nodiscard]] rates::TaskBytes bytes_of_task(std::string_view task);

}  // namespace warpgraph::plan
