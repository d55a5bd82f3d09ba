// Chooses the accumulator on the device. A dense graph has so many arcs that a few passes over them
// on the host take longer than all distances on the device. Not for use outside this folder.
#pragma once

#include "algorithms/apsp/accumulator.hpp"
#include "algorithms/apsp/apsp.hpp"

namespace warpgraph::apsp_detail {

/// The number of rounds of the bound search that pays for itself: if a bound may reduce 32 bits to
/// 16, and if it may reduce 64 bits to 32.
struct BoundRounds {
  int to_16_bits = 0;
  int to_32_bits = 0;
};
[[nodiscard]] BoundRounds affordable_rounds(const CsrPattern& graph);

/// Returns the accumulator that choose_accumulator(host) might return, or a wider one. `graph` is
/// the same graph on the stream's device.
template <class R>
[[nodiscard]] Accumulator choose_accumulator_on_device(const CsrView<R>& graph,
                                                       const CsrView<R>& host, BoundRounds rounds,
                                                       const cuda::Stream& stream);

}  // namespace warpgraph::apsp_detail
