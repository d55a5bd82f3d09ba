// sort_rows.hpp and weight_rank.hpp on a CUDA device, with the same results.
//
// Both are sorts. A device sorts at several times the rate at which the bus transfers the arrays
// and results. Renumbering is one pass over the arrays, which takes less time than their transfer,
// so it stays on the CPU.
#pragma once

#include "core/cuda/stream.hpp"
#include "graph/transform/sort_rows.hpp"
#include "graph/transform/weight_rank/weight_rank.hpp"

namespace warpgraph {

/// Number of items from which on a device does not sort: their indices have 32 bits.
inline constexpr std::int64_t max_device_sort_items = std::int64_t{1} << 32;

/// Sorts the rows of a graph in host memory by two stable sorts of all arcs, by weight and then by
/// row. Waits for the stream.
template <class W>
SortedRows<W> sort_rows_cuda(const CsrView<W>& graph, bool heaviest_first,
                             const cuda::Stream& stream);

/// Ranks weights in host memory by one sort. Waits for the stream.
template <class W>
WeightRanks<W> rank_weights_cuda(std::span<const W> weights, const cuda::Stream& stream);

}  // namespace warpgraph
