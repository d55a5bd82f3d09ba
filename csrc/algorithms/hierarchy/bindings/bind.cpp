#include "algorithms/hierarchy/hierarchy_handle.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graphs.hpp"
#include "bindings/hand_over.hpp"

namespace warpgraph {
namespace {

using namespace pybind11::literals;

Owned<HierarchyHandle> build(const HierarchyOptions& options, const Graph& graph,
                             const py::dtype& dtype, bool unweighted, Progress progress) {
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> host = host_view<W>(graph, unweighted);
    return hand_over(std::make_unique<HierarchyHandle>(
        run_released(std::move(progress), [&] { return build_hierarchy(host, options); })));
  });
}

py::dict figures_of(const HierarchyHandle& handle) {
  return handle.visit([]<class T>(const Hierarchy<T>& h) {
    return py::dict("n_vertices"_a = h.n_vertices, "n_core"_a = h.n_core,
                    "n_levels"_a = h.level_starts.size() - 1,
                    "n_arcs"_a = h.down.heads.size() + h.up.heads.size(),
                    "symmetric"_a = h.symmetric, "dtype"_a = py::dtype::of<T>(),
                    "rounding_units"_a = h.rounding_units, "nbytes"_a = h.bytes());
  });
}

/// Returns the type of distances, and the numbers of all vertices and of those in the core.
Tuple<py::dtype, vertex_t, vertex_t> sizes_of_hierarchy(const HierarchyHandle& handle) {
  return handle.visit([]<class T>(const Hierarchy<T>& h) {
    return py::make_tuple(py::dtype::of<T>(), h.n_vertices, h.n_core);
  });
}

}  // namespace

void init_hierarchy(py::module_& module) {
  py::class_<HierarchyHandle>(module, "HierarchyHandle")
      .def("figures", &figures_of)
      .def_property_readonly("sizes", &sizes_of_hierarchy)
      .def("device_bytes", &HierarchyHandle::device_bytes)
      .def("kept_bytes", &HierarchyHandle::kept_bytes);
  define(module, "build_hierarchy", &build, {"graph", "dtype", "unweighted", "progress"},
         keyword("symmetric", &HierarchyOptions::symmetric),
         keyword("core_vertices", &HierarchyOptions::core_vertices),
         keyword("ledger", &HierarchyOptions::budget));
}

}  // namespace warpgraph
