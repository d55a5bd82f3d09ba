// Plans of calls, whose graphs keep the facts that are found.
#pragma once

#include "bindings/graphs.hpp"
#include "core/memory/ledger.hpp"
#include "plan/plan.hpp"

#include <memory>
#include <string_view>

namespace warpgraph {

/// A call, but for its graph. `known` are facts that Python holds.
struct CallToPlan {
  std::string_view algorithm;
  const plan::Request& request;
  plan::Devices devices;
  const py::dict& known;
};

/// Returns the plan of a call on a graph, or on points if `given` is null; `known` then has the
/// sizes. `form`: as for facts_of(). The ledger gets to know where the call runs.
[[nodiscard]] std::unique_ptr<plan::Plan> plan_of_call(const CallToPlan& call, Graph* given,
                                                       Graph* form, Ledger& ledger);

}  // namespace warpgraph
