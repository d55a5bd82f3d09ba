// Whether contraction hierarchies may take a call, and how long making one takes. Private to this
// folder.
#pragma once

#include "plan/plan.hpp"
#include "plan/reasons.hpp"

namespace warpgraph::plan {

/// Returns the expected seconds of preparing the hierarchy on so many threads of the host, less
/// what earlier calls have lost because there was none; 0 if it is kept.
[[nodiscard]] double seconds_to_prepare(const Facts& facts, int n_threads);

/// Adds the sentence about the time of preparing to those of a plan, unless the hierarchy is kept.
void explain_preparing(const Facts& facts, int n_threads, Reasons& reasons);

/// Returns whether a hierarchy is kept, or may be made, and has what the call asks for.
[[nodiscard]] bool may_take_hierarchy(const Facts& facts, const Request& request,
                                      bool is_restricted);

/// Returns whether the distances of a hierarchy are bitwise those of searches.
[[nodiscard]] bool has_distances_of_searches(const Facts& facts, const Request& request);

}  // namespace warpgraph::plan
