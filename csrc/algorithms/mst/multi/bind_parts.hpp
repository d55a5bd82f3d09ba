// The functions by which endpoints of mst_multi find forests of parts that are graph handles.
#pragma once

#include "algorithms/mst/methods.hpp"
#include "algorithms/mst/multi/mst_multi.hpp"
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/memory/memory_budget.hpp"
#include "graph/device_csr.hpp"
#endif

namespace warpgraph {

/// Finds the forest of a graph in host memory by a device. A CUDA device gets a copy of the graph.
template <class W>
SpanningForest<W> solve_copy_on(Device device, const CsrView<W>& graph, const MstOptions& options) {
  return run_on(
      device, [&] { return mst::solve_on_cpu(graph, options); },
      [&]([[maybe_unused]] const auto& stream) -> SpanningForest<W> {
#if defined(WARPGRAPH_HAS_CUDA)
        const DeviceCsr<W> copy(graph, stream);
        return mst::solve_on_cuda(copy.view(), options, stream);
#else
        return {};
#endif
      });
}

/// Returns the cache of the rows on a device; null in a build without CUDA.
inline cuda::DerivedCache* derived_on([[maybe_unused]] Graph& rows,
                                      [[maybe_unused]] Device device) {
#if defined(WARPGRAPH_HAS_CUDA)
  return &rows.derived_on(device);
#else
  return nullptr;
#endif
}

/// Returns the functions that find the forests of parts, and of graphs of their edges.
template <class W>
mst::ForestSolver<W> solver_of(const MstOptions& given, const std::vector<Graph*>& parts) {
  const auto within = [&given](MemoryBudget budget) {
    MstOptions options = given;
    options.symmetric = false;  // other parts may have the transposed entries
    options.budget = budget;
    return options;
  };
  mst::ForestSolver<W> solver;
  solver.of_part = [&, within](Device device, std::size_t part, MemoryBudget budget) {
    MstOptions options = within(budget);
    return run_on(
        device, [&] { return mst::solve_on_cpu(parts[part]->view<W>(), options); },
        [&](const auto& stream) {
          options.derived = derived_on(*parts[part], device);
          return mst::solve_on_cuda(parts[part]->view_on<W>(device), options, stream);
        });
  };
  solver.of_graph = [within](Device device, const CsrView<W>& edges, MemoryBudget budget) {
    return solve_copy_on(device, edges, within(budget));
  };
  return solver;
}

}  // namespace warpgraph
