// GraphHandle, and the functions of csrc/graph on it.
#include "bindings/call.hpp"
#include "bindings/graph_handle.hpp"
#include "bindings/hand_over.hpp"
#include "graph/dense.hpp"
#include "graph/edge_list.hpp"
#include "graph/symmetry.hpp"
#include "graph/upper_triangle.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

template <class Index>
py::tuple group_edges(vertex_t n_vertices, const py::array& tails, const py::array& heads,
                      const py::array& weights) {
  return dispatch_weight(weights.dtype(), [&]<class W>() {
    const EdgeListView<Index, W> edges{n_vertices, readable<Index>(tails), readable<Index>(heads),
                                       readable<W>(weights)};
    return to_arrays(run_released(py::none(), [&] { return to_csr(edges); }));
  });
}

py::tuple csr_from_edges(vertex_t n_vertices, const py::array& tails, const py::array& heads,
                         const py::array& weights) {
  return py::isinstance<py::array_t<std::int32_t>>(tails)
             ? group_edges<std::int32_t>(n_vertices, tails, heads, weights)
             : group_edges<std::int64_t>(n_vertices, tails, heads, weights);
}

py::array narrow_indices(const py::array& indices, vertex_t n_vertices) {
  const std::span<const std::int64_t> wide = readable<std::int64_t>(indices);
  return to_array(run_released(py::none(), [&] { return narrow_heads(wide, n_vertices); }));
}

py::tuple from_dense(const py::array& values, const py::object& mask) {
  const auto n_vertices = static_cast<vertex_t>(values.shape(0));
  const std::span<const bool> masked =
      mask.is_none() ? std::span<const bool>() : readable<bool>(py::array(mask));
  return dispatch_weight(values.dtype(), [&]<class W>() {
    const std::span<const W> entries = readable<W>(values);
    return to_arrays(
        run_released(py::none(), [&] { return csr_from_dense(n_vertices, entries, masked); }));
  });
}

py::array tails_of(const GraphHandle& graph) {
  HostVector<vertex_t> tails(static_cast<std::size_t>(graph.pattern().n_arcs));
  run_released(py::none(), [&] { write_tails(graph.pattern(), tails); });
  return to_array(std::move(tails));
}

py::tuple transpose_arrays(const GraphHandle& graph, const py::dtype& dtype) {
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> view = graph.view<W>();
    return to_arrays(run_released(py::none(), [&] { return transpose(view); }));
  });
}

py::tuple symmetrise_arrays(const GraphHandle& graph, const py::dtype& dtype,
                            std::size_t memory_limit) {
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> view = graph.view<W>();
    return to_arrays(run_released(py::none(), [&] { return symmetrise(view, memory_limit); }));
  });
}

/// None if no entry lies below the diagonal: the graph is its own upper triangle.
py::object upper_triangle_arrays(const GraphHandle& graph, const py::dtype& dtype,
                                 std::size_t memory_limit) {
  return dispatch_weight(dtype, [&]<class W>() -> py::object {
    const CsrView<W> view = graph.view<W>();
    if (!run_released(py::none(), [&] { return has_lower_triangle(view); })) return py::none();
    UpperTriangle<W> upper =
        run_released(py::none(), [&] { return upper_triangle(view, memory_limit); });
    return py::make_tuple(
        to_array(std::move(upper.graph.offsets)), to_array(std::move(upper.graph.heads)),
        to_array(std::move(upper.graph.weights)), to_array(std::move(upper.positions)));
  });
}

bool has_symmetric_weights(const GraphHandle& graph, const py::dtype& dtype) {
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> view = graph.view<W>();
    return run_released(py::none(), [&] { return is_symmetric(view); });
  });
}

bool has_symmetric_structure(const GraphHandle& graph) {
  return run_released(py::none(), [&] { return is_symmetric(graph.pattern()); });
}

/// (the first negative weight, the first weight equal to the distance "unreachable"), each as
/// (position, tail, head, weight) or None.
py::tuple unusual_weights(const GraphHandle& graph, const py::dtype& dtype) {
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> view = graph.view<W>();
    const std::span<const W> weights(view.weights, static_cast<std::size_t>(view.n_arcs));
    const UnusualWeights found = run_released(py::none(), [&] { return find_unusual(weights); });
    const auto entry = [&](edge_t position) -> py::object {
      if (position < 0) return py::none();
      return py::make_tuple(position, tail_of(view, position), view.heads[position],
                            view.weights[position]);
    };
    return py::make_tuple(entry(found.negative), entry(found.unreachable));
  });
}

void make_resident(GraphHandle& graph, const std::string& device, const py::dtype& dtype) {
  dispatch_weight(dtype, [&]<class W>() {
    run_released(py::none(), [&] { return graph.view_on<W>(Device::parse(device)); });
  });
}

}  // namespace

void init_graph(py::module_& module) {
  py::class_<GraphHandle>(module, "GraphHandle")
      .def("set_weights", &GraphHandle::set_weights, py::arg("weights"))
      .def("make_resident", &make_resident, py::arg("device"), py::arg("dtype"))
      .def("tails", &tails_of)
      .def("transpose", &transpose_arrays, py::arg("dtype"))
      .def("symmetrise", &symmetrise_arrays, py::arg("dtype"), py::arg("memory_limit") = 0)
      .def("upper_triangle", &upper_triangle_arrays, py::arg("dtype"), py::arg("memory_limit") = 0)
      .def("has_mirrored_weights", &has_symmetric_weights, py::arg("dtype"))
      .def("has_mirrored_structure", &has_symmetric_structure)
      .def("unusual_weights", &unusual_weights, py::arg("dtype"))
      .def("device_bytes", &GraphHandle::device_bytes)
      .def("structure_only",
           [](const GraphHandle& graph) { return hand_over(graph.structure_only()); });
  module.def("graph_handle", &make<GraphHandle, py::array, py::array>, py::arg("indptr"),
             py::arg("indices"));
  module.def("narrow_indices", &narrow_indices, py::arg("indices"), py::arg("n_vertices"));
  module.def("csr_from_dense", &from_dense, py::arg("values"), py::arg("mask"));
  module.def("csr_from_edges", &csr_from_edges, py::arg("n_vertices"), py::arg("tails"),
             py::arg("heads"), py::arg("weights"));
}

}  // namespace warpgraph
