// Near-far search on CPU cores: delta-stepping with a single unsorted list of all far vertices.
//
// The library keeps far vertices in bins: on roads that takes as long, on other graphs less.
#pragma once

#include "algorithms/sssp/sssp.hpp"

namespace warpgraph::experiments {

/// Searches as sssp_cpu does, by near-far.
template <class W>
void near_far_on_cores(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
                       std::span<W> distances);

}  // namespace warpgraph::experiments
