#include "algorithms/mst/multi/bind_parts.hpp"
#include "bindings/call.hpp"
#include "bindings/forest_arrays.hpp"
#include "bindings/keywords.hpp"

#include <pybind11/stl.h>

#include <algorithm>

namespace warpgraph {
namespace {

/// `parts` have the rows of the graph that equal_arcs() gives, and empty rows else.
ForestArrays forest_of_parts(const MstOptions& given, const GraphHandle& graph,
                             const std::vector<GraphHandle*>& parts,
                             const std::vector<edge_t>& first_entries, const py::dtype& dtype,
                             const std::vector<Device>& devices, Progress progress) {
  return dispatch_weight(dtype, [&]<class W>() {
    [[maybe_unused]] const mst::RowsOnDevice<W> rows = [&](Device device, std::size_t part,
                                                           MstOptions& options) {
      options.derived = derived_on(*parts[part], device);
      return parts[part]->view_on<W>(device);
    };
    return to_arrays(run_released(std::move(progress), [&] {
#if defined(WARPGRAPH_HAS_CUDA)
      if (std::ranges::all_of(devices, &Device::is_cuda)) {
        return mst::mst_on_devices<W>(devices, first_entries, rows, given);
      }
#endif
      const auto solver = solver_of<W>(given, parts, rows);
      return mst::mst_multi(devices, graph.view<W>(), first_entries, solver, given.memory_limit);
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
