// Plans of calls, whose graphs keep the facts that are found.
#pragma once

#include "core/memory/ledger.hpp"
#include "plan/plan.hpp"
#include "warpgraph/graph.hpp"
#include "warpgraph/planning/client_facts.hpp"

#include <memory>
#include <string_view>

namespace warpgraph {

/// A call, but for its graph. `sizes`: of points, or of another input that is no graph.
struct CallToPlan {
  std::string_view algorithm;
  const plan::Request& request;
  plan::Devices devices;
  const plan::Facts& sizes;
  const ClientFacts& known;
};

/// Returns the plan of a call on a graph, or on other input if `given` is null. `form`: as for
/// facts_of(). The ledger gets to know where the call runs.
[[nodiscard]] std::unique_ptr<plan::Plan> plan_of_call(const CallToPlan& call, Graph* given,
                                                       Graph* form, Ledger& ledger);

}  // namespace warpgraph
