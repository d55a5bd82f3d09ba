// The decision of an application about a work item.
#pragma once

#include "core/types.hpp"

namespace warpgraph::runtime {

/// Fate of an item: it stays at this endpoint, is passed on, both, or is dropped.
enum class Flags : unsigned { drop = 0, keep = 1, pass = 2, both = 3 };

WARPGRAPH_HOST_DEVICE constexpr bool has(Flags flags, Flags flag) {
  return (static_cast<unsigned>(flags) & static_cast<unsigned>(flag)) != 0;
}

}  // namespace warpgraph::runtime
