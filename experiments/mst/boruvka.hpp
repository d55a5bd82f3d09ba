// Boruvka's algorithm over sorted rows: on CPU cores, and with compressed heads.
//
// The library runs it on GPUs, with heads as they are: see mst_boruvka.hpp. On cores, to sort the
// rows takes longer than the filter takes in all. Compressed heads take less memory where
// neighbours have close numbers, as in [1 in mst_boruvka.hpp], and more time.
#pragma once

#include "algorithms/mst/mst.hpp"
#include "core/memory/memory_budget.hpp"

namespace warpgraph::experiments {

struct BoruvkaOptions {
  bool maximum = false;
  bool compressed = false;  // heads are kept compressed
  MemoryBudget budget;
  /// The cache of the rows of a device, for the next call; null: none.
  cuda::DerivedCache* derived = nullptr;
};

/// Prepares rows and runs all four procedures on CPU threads.
template <class W>
SpanningForest<W> boruvka_on_cores(const CsrView<W>& graph, const BoruvkaOptions& options);

/// Solves a graph on the stream's device, with compressed heads. `positions` is there, too, with
/// capacity for one item less than there are vertices: it receives the positions of the forest's
/// edges in ascending order. Returns their number.
template <class W>
std::int64_t compressed_boruvka(const CsrView<W>& graph, const BoruvkaOptions& options,
                                edge_t* positions, const cuda::Stream& stream);
template <class W>
SpanningForest<W> compressed_boruvka_to_host(const CsrView<W>& graph, const BoruvkaOptions& options,
                                             const cuda::Stream& stream);

}  // namespace warpgraph::experiments
