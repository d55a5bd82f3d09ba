// pagerank_multi() on CUDA devices.
#pragma once

#include "algorithms/pagerank/pagerank.hpp"

namespace warpgraph {

/// Arrays are in host memory. options.parts has the devices.
template <class W>
PageRankResult pagerank_on_devices(const CsrView<W>& transposed, const PageRankVectors& vectors,
                                   const PageRankOptions& options, PageRankScores scores);

}  // namespace warpgraph
