// Whether contraction hierarchies gain, and how long making one takes. Private to this folder.
#pragma once

#include "plan/plan.hpp"
#include "plan/reasons.hpp"

#include <cstdint>

namespace warpgraph::plan {

/// Returns the number of searches, in all threads or on a GPU, that take as long as preparing a
/// hierarchy.
[[nodiscard]] std::int64_t sources_worth_preparing(const Facts& facts, bool on_gpu);

/// Returns the seconds of preparing the hierarchy on so many threads of the host; 0 if it is kept.
[[nodiscard]] double seconds_to_prepare(const Facts& facts, int n_threads);

/// Adds the sentence about the time of preparing to those of a plan, unless the hierarchy is kept.
void explain_preparing(const Facts& facts, int n_threads, Reasons& reasons);

/// Returns whether a kept hierarchy is faster, or an attempt to make one for so many sources is
/// worthwhile. Only if its distances are bitwise those of searches.
[[nodiscard]] bool hierarchy_may_gain(const Facts& facts, const Request& request,
                                      std::int64_t n_sources, bool on_gpu);

}  // namespace warpgraph::plan
