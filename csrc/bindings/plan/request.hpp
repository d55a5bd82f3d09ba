// The request of a call, as Python names its members.
#pragma once

#include "bindings/arrays.hpp"
#include "plan/plan.hpp"

namespace warpgraph {

/// Returns the request for numbers of a dtype; `given` has the members that differ from defaults.
[[nodiscard]] plan::Request request_of(const py::dict& given, const py::dtype& dtype);

}  // namespace warpgraph
