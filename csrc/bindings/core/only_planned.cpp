#include "bindings/core/only_planned.hpp"

namespace warpgraph {
namespace {

thread_local Step ends_before = Step::none;

}  // namespace

void end_calls_before(Step step) noexcept { ends_before = step; }

void begin_step(Step step) {
  if (step >= ends_before) throw OnlyPlanned{};
}

}  // namespace warpgraph
