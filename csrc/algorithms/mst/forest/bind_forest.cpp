// What wg.SpanningForest computes from its arrays, and positions of edges in other graphs.
#include "algorithms/mst/forest/forest_summary.hpp"
#include "bindings/call.hpp"
#include "bindings/graph_arrays.hpp"

namespace warpgraph {
namespace {

/// Returns (indptr, indices, data) with the index type of SciPy's matrices.
GraphArrays rows_of_edges(vertex_t n_vertices, std::span<const vertex_t> ends,
                          const py::array& weights) {
  return dispatch_weight(weights.dtype(), [&]<class W>() -> GraphArrays {
    const std::span<const W> items = readable<W>(weights);
    HostVector<std::int32_t> offsets;
    Csr<W> rows = run_released([&] {
      Csr<W> made = edge_rows(n_vertices, ends, items);
      offsets.resize(made.offsets.size());
      parallel_for(
          std::ssize(offsets),
          [&](std::int64_t i) {
            const auto at = static_cast<std::size_t>(i);
            offsets[at] = static_cast<std::int32_t>(made.offsets[at]);
          },
          light_grain);
      return made;
    });
    return py::make_tuple(to_array(std::move(offsets)), to_array(std::move(rows.heads)),
                          to_array(std::move(rows.weights)));
  });
}

/// Replaces positions by the items of a table there.
void look_up(std::span<const edge_t> table, std::span<edge_t> positions) {
  run_released([&] { gather_on_host(table, positions); });
}

void shift(std::span<edge_t> positions, edge_t by) {
  run_released([&] {
    parallel_for(
        std::ssize(positions),
        [&](std::int64_t i) { positions[static_cast<std::size_t>(i)] += by; }, light_grain);
  });
}

}  // namespace

void init_mst_forest(py::module_& module) {
  module.def("edge_rows", &rows_of_edges, py::arg("n_vertices"), py::arg("ends"),
             py::arg("weights"));
  module.def("shift", &shift, py::arg("positions"), py::arg("by"));
  module.def("look_up", &look_up, py::arg("table"), py::arg("positions"));
}

}  // namespace warpgraph
