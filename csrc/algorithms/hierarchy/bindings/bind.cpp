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

}  // namespace

void init_hierarchy(py::module_& module) {
  py::class_<HierarchyHandle>(module, "HierarchyHandle")
      .def("figures", &figures_of)
      .def("device_bytes", &HierarchyHandle::device_bytes)
      .def("kept_bytes", &HierarchyHandle::kept_bytes);
  define(module, "build_hierarchy", &build, {"graph", "dtype", "unweighted", "progress"},
         keyword("symmetric", &HierarchyOptions::symmetric),
         keyword("core_vertices", &HierarchyOptions::core_vertices),
         keyword("ledger", &HierarchyOptions::budget));
}

}  // namespace warpgraph
