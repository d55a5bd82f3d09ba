// check_overflow() for distances on a device.
#pragma once

#include "core/cuda/memory/derived_cache.hpp"
#include "primitives/relaxation/device_arcs.cuh"

namespace warpgraph::shortest_paths {

/// Returns whether the distances of the vertices of some rows are so small that each, plus the
/// largest weight of these rows, fits W. Then no sum of both overflows. Weights are not negative.
/// Waits for the stream.
template <class W>
[[nodiscard]] bool fit_with_weights_on(const cuda::Stream& stream, const CsrView<W>& rows,
                                       cuda::DerivedCache* derived, const W* distances);

/// Throws std::overflow_error, naming the arc, if the distance of a vertex does not fit W, or
/// NegativeCycle if a negative cycle is the cause. `distances` are in device memory, `host` in host
/// memory, where the arcs may be missing: heads == nullptr. Keeps structures derived from the graph
/// in `derived` unless that is null.
template <class W>
void check_overflow_on(const cuda::Stream& stream, const DeviceArcs<W>& arcs,
                       const CsrView<W>& host, bool negative_weights, cuda::DerivedCache* derived,
                       const W* distances);

}  // namespace warpgraph::shortest_paths
