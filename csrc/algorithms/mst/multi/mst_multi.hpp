// A spanning forest by several devices, each of which has a part of the rows. CUDA devices work in
// rounds (team_forest.cuh). Else each finds the forest of its part, and forests are merged in pairs
// until one is left: an edge that is in no forest of a part is not in the forest of the whole.
// Edges keep their order (see mst.hpp), so the result is the same.
#pragma once

#include "algorithms/mst/mst.hpp"
#include "core/device.hpp"
#include "core/memory/memory_budget.hpp"

#include <functional>
#include <vector>

namespace warpgraph::mst {

/// The functions that an endpoint calls, on its own thread, to find forests on its device within a
/// budget.
template <class W>
struct ForestSolver {
  /// Finds the forest of a part; positions are counted from the first entry of the part.
  std::function<SpanningForest<W>(Device, std::size_t part, MemoryBudget budget)> of_part;
  /// Finds the forest of a graph in host memory.
  std::function<SpanningForest<W>(Device, const CsrView<W>& graph, MemoryBudget budget)> of_graph;
};

/// Finds the forest by any devices, at least two. `graph` is in host memory. Part i, for the i-th
/// of the devices, has the entries from first_entries[i] on.
template <class W>
SpanningForest<W> mst_multi(const std::vector<Device>& devices, const CsrView<W>& graph,
                            const std::vector<edge_t>& first_entries, const ForestSolver<W>& solver,
                            MemoryBudget budget);

}  // namespace warpgraph::mst
