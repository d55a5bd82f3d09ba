// Calls that are planned only: each runs, with all its checks, until it would make something.
#pragma once

namespace warpgraph {

/// Ends a call that is planned only. It is no std::exception, so that nothing but the function that
/// asked for the plan catches it.
struct OnlyPlanned {};

/// Steps of a call, in their order, before which it may end.
enum class Step {
  making,  // weights are converted, or a form of the graph is made
  launch,  // the algorithm begins
  none,    // calls run to their end
};

/// Ends calls of this thread before a step.
void end_calls_before(Step step) noexcept;
/// Throws OnlyPlanned if the call of this thread ends before this step.
void begin_step(Step step);

}  // namespace warpgraph
