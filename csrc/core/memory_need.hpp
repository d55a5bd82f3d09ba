// What an algorithm states that it needs, without its work.
#pragma once

#include <cstddef>
#include <string>

namespace warpgraph {

/// The memory that an algorithm asks of MemoryBudget::require before it runs.
struct MemoryNeed {
  std::string what;
  std::size_t bytes = 0;
  std::string advice;
};

}  // namespace warpgraph
