// The request of a call, as Python names its members.
#pragma once

#include "bindings/arrays.hpp"
#include "bindings/keywords.hpp"
#include "plan/plan.hpp"

WARPGRAPH_NAMES(warpgraph::plan::Devices::Wanted, {"auto", automatic}, {"cuda:all", all},
                {"named", named});

namespace warpgraph {

/// Returns the request for numbers of a dtype; `given` has the members that differ from defaults.
[[nodiscard]] plan::Request request_of(const py::dict& given, const py::dtype& dtype);

}  // namespace warpgraph
