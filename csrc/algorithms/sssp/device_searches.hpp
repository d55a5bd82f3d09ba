// The searches that sssp_cuda.cu chooses from. As in steps.hpp: on entry distances are 0 for the
// source and infinite for all others; on return no arc can lower one, or after an early end none of
// a vertex up to the farthest target. All arrays but those called `host` lie on the stream's
// device.
#pragma once

#include "algorithms/sssp/steps.hpp"
#include "core/cuda/stream.hpp"

namespace warpgraph::sssp_steps {

template <class W>
struct EdgeListView;

template <class W>
void bellman_ford_on(const cuda::Stream& stream, const EdgeListView<W>& edges,
                     const CsrView<W>& host, const SsspOptions<W>& options, W* distances);

}  // namespace warpgraph::sssp_steps
