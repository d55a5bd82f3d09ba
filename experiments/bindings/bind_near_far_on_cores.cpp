#include "bindings/call.hpp"
#include "bindings/graphs.hpp"
#include "bindings/items.hpp"
#include "experiments/sssp/near_far_on_cores.hpp"

#include <pybind11/stl.h>

#include <limits>
#include <vector>

namespace warpgraph {
namespace {

/// Writes the distances. Those of vertices farther than `limit`, or than all of the targets if
/// there are any, are infinite.
void search_on_cores(Graph& graph, vertex_t source, const py::object& distances,
                     const std::vector<vertex_t>& targets, double limit) {
  dispatch_weight(dtype_of(distances), [&]<class W>() {
    SsspOptions<W> options;
    options.targets = targets;
    if (limit < static_cast<double>(infinity<W>())) options.limit = static_cast<W>(limit);
    const CsrView<W> host = host_view<W>(graph, false);
    const std::span<W> found = writable_items<W>(distances, Device{}).span;
    run_released([&] { experiments::near_far_on_cores(host, source, options, found); });
  });
}

}  // namespace

void init_near_far_on_cores(py::module_& module) {
  module.def("near_far_on_cores", &search_on_cores, py::arg("graph"), py::arg("source"),
             py::arg("distances"), py::arg("targets") = std::vector<vertex_t>(),
             py::arg("limit") = std::numeric_limits<double>::infinity());
}

}  // namespace warpgraph
