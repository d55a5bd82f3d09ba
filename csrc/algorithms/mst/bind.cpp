#include "algorithms/mst/boruvka.hpp"
#include "algorithms/mst/mst.hpp"
#include "bindings/call.hpp"
#include "bindings/graph_handle.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph {
namespace {

template <class W>
SpanningForest<W> solve_by_rows(GraphHandle& graph, const MstOptions& options, bool compressed,
                                Device device) {
  BoruvkaOptions by_rows{options.maximum, compressed, options.memory_limit};
  if (!device.is_cuda()) return mst_boruvka_cpu(graph.view<W>(), by_rows);
  return WARPGRAPH_ON_CUDA(
      by_rows.derived = &graph.derived_on(device),
      mst_boruvka_cuda_to_host(graph.view_on<W>(device), by_rows, *cuda::BorrowedStream(device)));
}

template <class W>
SpanningForest<W> solve(GraphHandle& graph, const MstOptions& options, const std::string& method,
                        Device device) {
  if (method == "reference") return mst_reference(graph.view<W>(), options);
  if (const bool compressed = method == "boruvka_compressed"; compressed || method == "boruvka") {
    return solve_by_rows<W>(graph, options, compressed, device);
  }
  return device.is_cuda() ? WARPGRAPH_ON_CUDA(mst_cuda_to_host(graph.view_on<W>(device), options,
                                                               *cuda::BorrowedStream(device)))
                          : mst_cpu(graph.view<W>(), options);
}

py::tuple minimum_spanning_forest(GraphHandle& graph, const py::dtype& dtype, bool maximum,
                                  bool mirrored, bool sorted_rows, const std::string& method,
                                  const std::string& device_name, std::size_t memory_limit,
                                  py::object progress) {
  const Device device = Device::parse(device_name);
  const MstOptions options{maximum, mirrored, sorted_rows, memory_limit};
  return dispatch_weight(dtype, [&]<class W>() -> py::tuple {
    SpanningForest<W> forest =
        run_released(std::move(progress), [&] { return solve<W>(graph, options, method, device); });
    const auto n_edges = static_cast<py::ssize_t>(forest.weights.size());
    return py::make_tuple(to_array(std::move(forest.ends)).reshape({n_edges, py::ssize_t{2}}),
                          to_array(std::move(forest.weights)),
                          to_array(std::move(forest.positions)));
  });
}

py::tuple arrange(vertex_t n_vertices, const py::array& ends, const py::array& weights,
                  const py::array& ids) {
  return dispatch_weight(weights.dtype(), [&]<class W>() -> py::tuple {
    const EdgeSet<W> edges{n_vertices, readable<vertex_t>(ends), readable<W>(weights),
                           readable<edge_t>(ids)};
    UpperTriangle<W> arranged = run_released(py::none(), [&] { return arrange_edges(edges); });
    return py::make_tuple(
        to_array(std::move(arranged.graph.offsets)), to_array(std::move(arranged.graph.heads)),
        to_array(std::move(arranged.graph.weights)), to_array(std::move(arranged.positions)));
  });
}

void label_forest(const py::array& ends, py::array labels) {
  const std::span<const vertex_t> edges = readable<vertex_t>(ends);
  const std::span<vertex_t> out = writable<vertex_t>(labels);
  run_released(py::none(), [&] { forest_labels(edges, out); });
}

}  // namespace

void init_mst(py::module_& module) {
  module.def("minimum_spanning_forest", &minimum_spanning_forest, py::arg("graph"),
             py::arg("dtype"), py::arg("maximum"), py::arg("mirrored"), py::arg("sorted_rows"),
             py::arg("method"), py::arg("device"), py::arg("memory_limit"), py::arg("progress"));
  module.def("arrange_edges", &arrange, py::arg("n_vertices"), py::arg("ends"), py::arg("weights"),
             py::arg("ids"));
  module.def("forest_labels", &label_forest, py::arg("ends"), py::arg("labels"));
}

}  // namespace warpgraph
