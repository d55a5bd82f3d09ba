// pagerank_multi() on CUDA devices.
#pragma once

#include "algorithms/pagerank/pagerank.hpp"

namespace warpgraph {

/// Computes scores on the devices of options.parts. Arrays are in host memory.
template <class W>
PageRankResult pagerank_on_devices(const CsrView<W>& transposed, const PageRankVectors& vectors,
                                   const PageRankOptions& options, PageRankScores scores);

}  // namespace warpgraph
