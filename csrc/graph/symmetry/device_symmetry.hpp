// The test of symmetry.hpp on a CUDA device.
#pragma once

#include "core/cuda/stream.hpp"
#include "graph/csr.hpp"

namespace warpgraph {

/// Returns is_symmetric(host), found on the stream's device, which has a copy of the graph. Takes
/// one pass over the copy. Waits. The host may have no arcs, heads == nullptr.
template <class W>
bool is_symmetric_on_device(const CsrView<W>& host, const CsrView<W>& copy,
                            const cuda::Stream& stream);
bool is_symmetric_on_device(const CsrPattern& host, const CsrPattern& copy,
                            const cuda::Stream& stream);

}  // namespace warpgraph
