#include "algorithms/mst/forest/bind_results.hpp"
#include "algorithms/mst/methods.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/graph_arrays.hpp"
#include "bindings/on_device/device_arrays.hpp"

WARPGRAPH_NAMES(warpgraph::MstMethod, {"filter", filter}, {"boruvka", boruvka},
                {"reference", reference});

namespace warpgraph {
namespace {

ForestResults minimum_spanning_forest(const MstOptions& given, Graph& graph, const py::dtype& dtype,
                                      Device device, Progress progress) {
  return dispatch_weight(dtype, [&]<class W>() -> ForestResults {
#if defined(WARPGRAPH_HAS_CUDA)
    if (device.is_cuda()) {
      FoundForest<W> found = run_released(std::move(progress), [&] {
        MstOptions options = given;
        options.derived = &graph.derived_on(device);
        const CsrView<W> view = graph.view_on<W>(device);
        return mst::find_on_cuda(view, options, *cuda::BorrowedStream(device));
      });
      return to_results(std::move(found), device);
    }
#endif
    require_device(device);
    return to_arrays(run_released(std::move(progress),
                                  [&] { return mst::solve_on_cpu(graph.view<W>(), given); }));
  });
}

/// Writes positions of edges to `out`, an array on the device, mapped by `originals` unless that is
/// empty. Returns their number.
std::int64_t write_forest(const MstOptions& given, Graph& graph, const py::dtype& dtype,
                          const py::object& out, std::span<const edge_t> originals, Device device,
                          Progress progress) {
  const std::span<edge_t> positions = writable_on<edge_t>(out, device);
  return dispatch_weight(dtype, [&]<class W>() {
    return run_released(std::move(progress), [&] {
      return run_on_cuda<std::int64_t>(device, [&](const auto& stream) {
        MstOptions options = given;
        options.derived = &graph.derived_on(device);
        const CsrView<W> view = graph.view_on<W>(device);
        return mst::write_positions(view, options, originals, positions, stream);
      });
    });
  });
}

MappedGraphArrays arrange(vertex_t n_vertices, std::span<const vertex_t> ends,
                          const py::array& weights, std::span<const edge_t> ids,
                          MemoryBudget budget) {
  return dispatch_weight(weights.dtype(), [&]<class W>() {
    const EdgeSet<W> edges{n_vertices, ends, readable<W>(weights), ids};
    return to_mapped_arrays(run_released([&] { return arrange_edges(edges, budget); }));
  });
}

}  // namespace

void init_mst(py::module_& module) {
  define(module, "minimum_spanning_forest", &minimum_spanning_forest,
         {"graph", "dtype", "device", "progress"}, keyword("method", &MstOptions::method),
         keyword("maximum", &MstOptions::maximum), keyword("mirrored", &MstOptions::symmetric),
         keyword("sorted_rows", &MstOptions::sorted_rows),
         keyword("longest_row", &MstOptions::longest_row), keyword("ledger", &MstOptions::budget));
  define(module, "minimum_spanning_forest_on_device", &write_forest,
         {"graph", "dtype", "out", "originals", "device", "progress"},
         keyword("method", &MstOptions::method), keyword("maximum", &MstOptions::maximum),
         keyword("mirrored", &MstOptions::symmetric),
         keyword("longest_row", &MstOptions::longest_row), keyword("ledger", &MstOptions::budget));
  module.def("arrange_edges", &arrange, py::arg("n_vertices"), py::arg("ends"), py::arg("weights"),
             py::arg("ids"), py::arg("ledger"));
}

}  // namespace warpgraph
