#include "algorithms/mst/forest/bind_results.hpp"
#include "algorithms/mst/multi/bind_parts.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "graph/partition/partition.hpp"

#include <pybind11/stl.h>

#include <algorithm>

#if defined(WARPGRAPH_HAS_CUDA)
#include "algorithms/mst/multi/mst_on_devices.hpp"
#endif

namespace warpgraph {
namespace {

/// Returns the first row of each part, and the number of rows.
py::array_t<vertex_t> rows_of_parts(const Graph& graph, int n_parts) {
  const PartitionView parts = run_released([&] { return equal_edges(graph.pattern(), n_parts); });
  return py::array_t<vertex_t>(n_parts + 1, parts.begins);
}

/// Finds the forest of a graph. `parts` have the rows of it that rows_of_parts() gives, and empty
/// rows else.
ForestResults forest_of_parts(const MstOptions& given, const Graph& graph,
                              const std::vector<Graph*>& parts,
                              const std::vector<edge_t>& first_entries, const py::dtype& dtype,
                              const std::vector<Device>& devices, Progress progress) {
  return dispatch_weight(dtype, [&]<class W>() -> ForestResults {
#if defined(WARPGRAPH_HAS_CUDA)
    if (std::ranges::all_of(devices, &Device::is_cuda)) {
      const auto rows = [&](Device device, std::size_t part) {
        return parts[part]->view_on<W>(device);
      };
      return to_results(
          run_released(std::move(progress),
                       [&] { return mst::mst_on_devices<W>(devices, first_entries, rows, given); }),
          devices.front());
    }
#endif
    return ForestResults(to_arrays(run_released(std::move(progress), [&] {
      const auto solver = solver_of<W>(given, parts);
      return mst::mst_multi(devices, graph.view<W>(), first_entries, solver, given.budget);
    })));
  });
}

}  // namespace

void init_mst_multi(py::module_& module) {
  module.def("rows_of_parts", &rows_of_parts, py::arg("graph"), py::arg("n_parts"));
  define(module, "forest_of_parts", &forest_of_parts,
         {"graph", "parts", "first_entries", "dtype", "devices", "progress"},
         keyword("maximum", &MstOptions::maximum), keyword("mirrored", &MstOptions::symmetric),
         keyword("longest_row", &MstOptions::longest_row), keyword("ledger", &MstOptions::budget));
}

}  // namespace warpgraph
