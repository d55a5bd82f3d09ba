// Choosing the lane on the device: a dense graph has so many arcs that going through them a few
// times on the host takes longer than all distances on the device. Not for use outside this folder.
#pragma once

#include "algorithms/apsp/apsp.hpp"
#include "algorithms/apsp/arithmetic.hpp"

namespace warpgraph::apsp_steps {

/// Rounds of the search for ways through a root that are worth their time: if they may turn 32 bits
/// into 16, and if they may turn 64 bits into 32.
struct SurveyRounds {
  int to_16_bits = 0;
  int to_32_bits = 0;
};
[[nodiscard]] SurveyRounds worthwhile_rounds(const CsrPattern& graph);

/// A lane that choose_lane(host) might return, or a wider one. `graph` is the same graph on the
/// stream's device.
template <class R>
[[nodiscard]] Lane choose_lane_on(const CsrView<R>& graph, const CsrView<R>& host,
                                  SurveyRounds rounds, const cuda::Stream& stream);

}  // namespace warpgraph::apsp_steps
