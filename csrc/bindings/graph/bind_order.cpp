// The order of vertices and of the arcs in their rows.
#include "bindings/device.hpp"
#include "bindings/graph_arrays.hpp"
#include "bindings/keywords.hpp"
#include "graph/transform/reorder.hpp"
#include "graph/transform/sort_rows.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "graph/transform/device_transform.hpp"
#endif

WARPGRAPH_NAMES(warpgraph::OrderStrategy, {"degree", degree}, {"rcm", reverse_cuthill_mckee},
                {"communities", communities});

namespace warpgraph {
namespace {

/// Sorted rows as (indices, data, positions).
using SortedArrays = Tuple<py::array, py::array, py::array>;

SortedArrays sort_rows_arrays(const Graph& graph, const py::dtype& dtype, bool heaviest_first,
                              Device device) {
  const auto sort = [&](const auto& view) {
    return run_on(
        device, [&] { return sort_rows(view, heaviest_first); },
        [&](const auto& stream) { return sort_rows_cuda(view, heaviest_first, stream); });
  };
  return with_view(graph, dtype, sort, [](auto&& sorted) -> SortedArrays {
    return py::make_tuple(to_array(std::move(sorted.heads)), to_array(std::move(sorted.weights)),
                          to_array(std::move(sorted.positions)));
  });
}

bool has_sorted_rows_of(const Graph& graph, const py::dtype& dtype, bool heaviest_first) {
  return with_view(graph, dtype,
                   [&](const auto& view) { return has_sorted_rows(view, heaviest_first); });
}

bool has_ascending_heads_of(const Graph& graph) {
  return run_released([&] { return has_ascending_heads(graph.pattern()); });
}

py::array_t<vertex_t> vertex_order_array(const Graph& graph, OrderStrategy strategy) {
  return to_array(run_released([&] { return vertex_order(graph.pattern(), strategy); }));
}

py::array_t<vertex_t> inverse_order_array(std::span<const vertex_t> order) {
  return to_array(run_released([&] { return inverse_order(order); }));
}

MappedGraphArrays permute_arrays(const Graph& graph, const py::dtype& dtype,
                                 std::span<const vertex_t> order) {
  return with_view(
      graph, dtype, [&](const auto& view) { return permute(view, order); },
      [](auto&& permuted) { return to_mapped_arrays(std::move(permuted)); });
}

double mean_gap_bits_of(const Graph& graph) {
  return run_released([&] { return mean_gap_bits(graph.pattern()); });
}

}  // namespace

void init_order(py::module_& module) {
  module.def("sort_rows", &sort_rows_arrays, py::arg("graph"), py::arg("dtype"),
             py::arg("heaviest_first"), py::arg("device"));
  module.def("has_sorted_rows", &has_sorted_rows_of, py::arg("graph"), py::arg("dtype"),
             py::arg("heaviest_first"));
  module.def("has_ascending_heads", &has_ascending_heads_of, py::arg("graph"));
  module.def("vertex_order", &vertex_order_array, py::arg("graph"), py::arg("strategy"));
  module.def("inverse_order", &inverse_order_array, py::arg("order"));
  module.def("permute", &permute_arrays, py::arg("graph"), py::arg("dtype"), py::arg("order"));
  module.def("mean_gap_bits", &mean_gap_bits_of, py::arg("graph"));
}

}  // namespace warpgraph
