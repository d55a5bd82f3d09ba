// Whether contraction hierarchies gain. Private to this folder.
#pragma once

#include "plan/plan.hpp"

#include <cstdint>

namespace warpgraph::plan {

/// Returns the number of searches, in all threads or on a GPU, that take as long as preparing a
/// hierarchy.
[[nodiscard]] std::int64_t sources_worth_preparing(const Facts& facts, bool on_gpu);

/// Returns whether a kept hierarchy is faster, or an attempt to make one for so many sources is
/// worthwhile. Only if its distances are bitwise those of searches.
[[nodiscard]] bool hierarchy_may_gain(const Facts& facts, const Request& request,
                                      std::int64_t n_sources, bool on_gpu);

}  // namespace warpgraph::plan
