// Links and segments as Python has them: they keep the context, whichever of them the garbage
// collector frees first. (pybind11's keep_alive ends the process if memory for its list is
// lacking.)
#pragma once

#include "runtime/context.hpp"

#include <memory>

namespace warpgraph {

struct RuntimeLink {
  std::shared_ptr<runtime::Context> context;
  runtime::Link* link;
};

struct RuntimePendingSegment {
  std::shared_ptr<runtime::Context> context;  // destroyed after the segment
  runtime::PendingSegment pending;
};

}  // namespace warpgraph
