// Dense matrices, edge lists and 64-bit indices -> CSR arrays, and back to edges.
#include "bindings/graph_arrays.hpp"
#include "graph/dense.hpp"
#include "graph/edge_list.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

template <class Index>
GraphArrays group_edges(vertex_t n_vertices, const py::array& tails, const py::array& heads,
                        const py::array& weights) {
  return dispatch_weight(weights.dtype(), [&]<class W>() {
    const EdgeListView<Index, W> edges{n_vertices, readable<Index>(tails), readable<Index>(heads),
                                       readable<W>(weights)};
    return to_arrays(run_released([&] { return to_csr(edges); }));
  });
}

GraphArrays csr_from_edges(vertex_t n_vertices, const py::array& tails, const py::array& heads,
                           const py::array& weights) {
  return py::isinstance<py::array_t<std::int32_t>>(tails)
             ? group_edges<std::int32_t>(n_vertices, tails, heads, weights)
             : group_edges<std::int64_t>(n_vertices, tails, heads, weights);
}

GraphArrays from_dense(const py::array& values, const std::optional<std::span<const bool>>& mask) {
  const auto n_vertices = static_cast<vertex_t>(values.shape(0));
  return dispatch_weight(values.dtype(), [&]<class W>() {
    const std::span<const W> entries = readable<W>(values);
    return to_arrays(run_released([&] {
      return csr_from_dense(n_vertices, entries, mask.value_or(std::span<const bool>()));
    }));
  });
}

py::array_t<vertex_t> narrow_indices(std::span<const std::int64_t> indices, vertex_t n_vertices) {
  return to_array(run_released([&] { return narrow_heads(indices, n_vertices); }));
}

py::array tails_of(const Graph& graph) {
  HostVector<vertex_t> tails(static_cast<std::size_t>(graph.pattern().n_arcs));
  run_released([&] { write_tails(graph.pattern(), tails); });
  return to_array(std::move(tails));
}

std::int64_t n_parallel_arcs(const Graph& graph) {
  return run_released([&] { return count_parallel_arcs(graph.pattern()); });
}

}  // namespace

void init_conversion(py::module_& module) {
  module.def("narrow_indices", &narrow_indices, py::arg("indices"), py::arg("n_vertices"));
  module.def("csr_from_dense", &from_dense, py::arg("values"), py::arg("mask"));
  module.def("csr_from_edges", &csr_from_edges, py::arg("n_vertices"), py::arg("tails"),
             py::arg("heads"), py::arg("weights"));
  module.def("tails", &tails_of, py::arg("graph"));
  module.def("count_parallel_arcs", &n_parallel_arcs, py::arg("graph"));
}

}  // namespace warpgraph
