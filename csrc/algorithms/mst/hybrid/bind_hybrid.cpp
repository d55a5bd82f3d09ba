#include "algorithms/mst/hybrid/hybrid.hpp"
#include "algorithms/mst/sorted_rows/forest_of_ranks.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/forest_arrays.hpp"
#include "bindings/graphs.hpp"
#include "bindings/hand_over.hpp"

namespace warpgraph {
namespace {

using mst::HybridForest;
using mst::PreparedRows;

Owned<PreparedRows> prepare(const Graph& graph, const py::dtype& dtype, bool maximum) {
  return hand_over(dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> view = graph.view<W>();
    return run_released(
        [&] { return std::make_unique<PreparedRows>(mst::prepare_rows(view, maximum)); });
  }));
}

Owned<HybridForest> make_hybrid(const PreparedRows& rows, Device device, MemoryBudget budget) {
  EXPECTS(device.is_cuda(), "CPU threads help a CUDA device, not ", device.name());
  return hand_over(run_released([&]() -> std::unique_ptr<HybridForest> {
    if constexpr (!built_with_cuda())
      throw DeviceError(cuda_unavailable_reason());
    else
      return make_hybrid_forest(rows, budget.on(device));
  }));
}

ForestArrays solve_forest(HybridForest& hybrid, const Graph& graph, const py::dtype& dtype,
                          const PreparedRows& rows, Progress progress) {
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> view = graph.view<W>();
    return to_arrays(run_released(
        std::move(progress), [&] { return mst::forest_of_ranks(view, rows, hybrid.solve()); }));
  });
}

py::array solve_ranks(HybridForest& hybrid) {
  return to_array(run_released([&] { return hybrid.solve(); }));
}

}  // namespace

void init_mst_hybrid(py::module_& module) {
  py::class_<PreparedRows>(module, "PreparedRows")
      .def_property_readonly("nbytes", &PreparedRows::bytes);
  py::class_<HybridForest>(module, "HybridForest")
      .def("solve", &solve_forest, py::arg("graph"), py::arg("dtype"), py::arg("rows"),
           py::arg("progress"))
      .def("solve_ranks", &solve_ranks)
      .def_property_readonly("n_resident_arcs", &HybridForest::n_resident_arcs)
      .def_property_readonly("nbytes", &HybridForest::device_bytes);
  module.def("hybrid_forest", &make_hybrid, py::arg("rows"), py::arg("device"), py::arg("ledger"));
  module.def("prepare_rows", &prepare, py::arg("graph"), py::arg("dtype"), py::arg("maximum"));
}

}  // namespace warpgraph
