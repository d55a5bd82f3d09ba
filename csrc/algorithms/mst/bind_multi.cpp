#include "algorithms/mst/methods.hpp"
#include "algorithms/mst/mst_multi.hpp"
#include "bindings/call.hpp"
#include "bindings/device.hpp"
#include "bindings/forest_arrays.hpp"
#include "bindings/graph_handle.hpp"
#include "bindings/keywords.hpp"

#include <pybind11/stl.h>

#if defined(WARPGRAPH_HAS_CUDA)
#include "graph/device_csr.hpp"
#endif

namespace warpgraph {
namespace {

/// The forest of a graph in host memory, which is copied to a CUDA device.
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

/// `parts` have the rows of the graph that equal_arcs() gives, and empty rows else.
ForestArrays forest_of_parts(const MstOptions& given, const GraphHandle& graph,
                             const std::vector<GraphHandle*>& parts,
                             const std::vector<edge_t>& first_entries, const py::dtype& dtype,
                             const std::vector<Device>& devices, Progress progress) {
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> whole = graph.view<W>();
    mst::ForestSolver<W> solver;
    solver.of_part = [&](Device device, std::size_t part, std::size_t memory_limit) {
      MstOptions options = given;
      options.memory_limit = memory_limit;
      GraphHandle& rows = *parts[part];
      return run_on(
          device, [&] { return mst::solve_on_cpu(rows.view<W>(), options); },
          [&](const auto& stream) {
            options.derived = &rows.derived_on(device);
            return mst::solve_on_cuda(rows.view_on<W>(device), options, stream);
          });
    };
    solver.of_graph = [&](Device device, const CsrView<W>& edges, std::size_t memory_limit) {
      MstOptions options = given;
      options.memory_limit = memory_limit;
      return solve_copy_on(device, edges, options);
    };
    return to_arrays(run_released(std::move(progress), [&] {
      return mst::mst_multi(devices, whole, first_entries, solver, given.memory_limit);
    }));
  });
}

}  // namespace

void init_mst_multi(py::module_& module) {
  define(module, "forest_of_parts", &forest_of_parts,
         {"graph", "parts", "first_entries", "dtype", "devices", "progress"},
         keyword("maximum", &MstOptions::maximum), keyword("longest_row", &MstOptions::longest_row),
         keyword("memory_limit", &MstOptions::memory_limit));
}

}  // namespace warpgraph
