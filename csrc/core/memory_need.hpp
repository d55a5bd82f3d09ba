// What an algorithm states that it needs, without its work.
#pragma once

#include "core/function_ref.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace warpgraph {

/// The memory that an algorithm asks of MemoryBudget::require before it runs.
struct MemoryNeed {
  std::string what;
  std::size_t bytes = 0;
  std::string advice;
};

/// Calls an algorithm, which ends where it first asks for memory, or for that of `what` if this is
/// not empty. Returns what it asks for, or nothing if it ends without that. The algorithm must not
/// write to its results before.
[[nodiscard]] std::optional<MemoryNeed> need_of(FunctionRef<void()> algorithm,
                                                std::string_view what = {});

}  // namespace warpgraph
