// The transformations of sort_rows.hpp and weight_rank.hpp by a CUDA device, with the same results.
//
// Both are sorts, which a device does at several times the rate at which the bus brings the arrays
// and takes the results back. Renumbering is one pass over the arrays, less than the bus takes, and
// stays on the CPU.
#pragma once

#include "core/cuda/stream.hpp"
#include "graph/transform/sort_rows.hpp"
#include "graph/transform/weight_rank.hpp"

namespace warpgraph {

/// Fewer items than this can be sorted on a device: their numbers have 32 bits.
inline constexpr std::int64_t most_sorted_on_device = std::int64_t{1} << 32;

/// By two stable sorts of all arcs, by weight and then by row. The graph lies on the host. Waits.
template <class W>
SortedRows<W> sort_rows_cuda(const CsrView<W>& graph, bool heaviest_first,
                             const cuda::Stream& stream);

/// By one sort of the weights, which lie on the host. Waits.
template <class W>
WeightRanks<W> rank_weights_cuda(std::span<const W> weights, const cuda::Stream& stream);

}  // namespace warpgraph
