#include "algorithms/hierarchy/customizable/customizable.hpp"
#include "algorithms/hierarchy/customizable/structure_handle.hpp"
#include "algorithms/hierarchy/hierarchy_handle.hpp"
#include "bindings/arrays.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"
#include "bindings/hand_over.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

struct StructureOptions {
  MemoryBudget budget;
};

/// Finds the structure by an order of contraction, or by one that is found for None.
Owned<StructureHandle> find_structure(const StructureOptions& options, const Graph& graph,
                                      const std::optional<std::span<const vertex_t>>& order,
                                      Progress progress) {
  const CsrPattern pattern = host_view<float>(graph, true);
  return hand_over(std::make_unique<StructureHandle>(run_released(std::move(progress), [&] {
    return find_hierarchy_structure(pattern, order.value_or(std::span<const vertex_t>()),
                                    options.budget);
  })));
}

Owned<HierarchyHandle> customize(const CustomizeOptions& options, const StructureHandle& structure,
                                 Graph& graph, const py::dtype& dtype, Device device,
                                 Progress progress) {
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> host = host_view<W>(graph, false);
    return hand_over(std::make_unique<HierarchyHandle>(run_released(std::move(progress), [&] {
      return run_on(
          device, [&] { return customize_hierarchy(structure.host(), host, options); },
          [&](const auto& stream) {
            return customize_hierarchy_cuda(structure.host(), structure.on_device(device),
                                            graph.view_on<W>(device), host, options, stream);
          });
    })));
  });
}

py::array_t<vertex_t> contraction_order(const StructureHandle& structure) {
  return to_array(HostVector<vertex_t>(structure.host().order));
}

std::size_t number_of_arcs(const StructureHandle& structure) { return structure.host().n_arcs(); }

}  // namespace

void init_hierarchy_customizable(py::module_& module) {
  py::class_<StructureHandle>(module, "HierarchyStructure")
      .def("order", &contraction_order)
      .def("nbytes", &StructureHandle::bytes)
      .def("n_arcs", &number_of_arcs);
  define(module, "find_hierarchy_structure", &find_structure, {"graph", "order", "progress"},
         keyword("ledger", &StructureOptions::budget));
  define(module, "customize_hierarchy", &customize,
         {"structure", "graph", "dtype", "device", "progress"},
         keyword("undirected", &CustomizeOptions::undirected),
         keyword("ledger", &CustomizeOptions::budget));
}

}  // namespace warpgraph
