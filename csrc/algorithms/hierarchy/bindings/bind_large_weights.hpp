// The integers that no hierarchy takes, for plans. Private to this folder.
#pragma once

#include "algorithms/hierarchy/number_types.hpp"
#include "bindings/plan/needs/planned_call.hpp"

#include <algorithm>
#include <type_traits>

namespace warpgraph::needs {

/// Throws std::overflow_error if the call will, for integers that no hierarchy takes. Lack of
/// memory for forms and converted weights comes first. Of an undirected form, it is not known which
/// weights that has.
inline void refuse_large_weights(const PlannedCall& call) {
  const bool may_be_other = !call.plan.otherwise.empty() || !call.plan.search_otherwise.empty();
  if (call.request.unweighted || call.facts.makes_undirected || may_be_other) return;
  const auto is_there = [&](const MemoryNeed& need) { return call.request.budget.has(need.bytes); };
  if (!call.request.budget.has(call.plan.bytes_held)) return;
  if (!std::ranges::all_of(call.plan.needs_of_form, is_there)) return;
  call.searched.with_type_of_caller([&]<class W>() {
    if constexpr (std::is_integral_v<W>) {
      (void)hierarchy_detail::all_weights_integral(call.searched.view<W>());
    }
  });
}

}  // namespace warpgraph::needs
