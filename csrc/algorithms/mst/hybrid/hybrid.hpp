// Boruvka's algorithm on a device that may be too small for all arcs. Private to this folder.
//
// If all arcs fit, the device works alone: CPU threads beside it made no benchmark faster.
//
// Else every row is cut (see partitioned_rows.hpp): its light arcs are on the device, heavy ones in
// page-locked host memory, where CPU threads search them, and the device over the bus. The device
// stores and joins the trees. In each round it first searches the light arcs and sends the threads
// its choices, after which most rows need no search. The result of the threads is uploaded as one
// choice per tree. All copies overlap with the searches.
//
// Host and device take the heavy arcs of rows from opposite ends of the graph until they meet, so
// neither waits for the other. How many rows the device takes at first is tuned by measurement (see
// share_tuner.hpp).
#pragma once

#include "algorithms/mst/sorted_rows/prepared_rows.hpp"
#include "core/device.hpp"
#include "core/memory/memory_budget.hpp"

#include <memory>

namespace warpgraph::mst {

class HybridForest {
 public:
  virtual ~HybridForest() = default;
  /// Returns the ranks of the forest's edges in ascending order. Concurrent calls run one after the
  /// other.
  virtual HostVector<rank_t> solve() = 0;
  [[nodiscard]] virtual std::size_t device_bytes() const = 0;
  /// Returns the number of arcs on the device; every edge is two arcs.
  [[nodiscard]] virtual edge_t n_resident_arcs() const = 0;
};

/// Copies as many arcs to the device of the budget as fit. Throws OutOfMemory if not even the trees
/// fit.
std::unique_ptr<HybridForest> make_hybrid_forest(const PreparedRows& rows, MemoryBudget budget);

}  // namespace warpgraph::mst
