#include "algorithms/apsp/apsp.hpp"
#include "bindings/call.hpp"
#include "bindings/device_arrays.hpp"
#include "bindings/graph_handle.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph {
namespace {

ApspMethod method_named(const std::string& name) {
  if (name == "floyd_warshall_naive") return ApspMethod::naive;
  EXPECTS(name == "floyd_warshall", "unknown method '", name, "'");
  return ApspMethod::blocked;
}

/// `distances` is a NumPy array, or an array on the device that runs the method. If it is `fresh`,
/// neither it nor `predecessors` has been written before. `predecessors` is a NumPy array, empty if
/// they are not wanted.
template <class R>
ApspResult<R> result_in(const py::object& distances, bool fresh, py::array& predecessors,
                        vertex_t n_vertices, Device device) {
  const RowMatrix<R> rows = writable_rows<R>(distances, device);
  EXPECTS(rows.n == n_vertices && rows.n_columns == n_vertices,
          "the distances must be a matrix with a row and a column for each vertex");
  const std::span<vertex_t> trees = writable<vertex_t>(predecessors);
  const auto n = static_cast<std::size_t>(n_vertices);
  EXPECTS(trees.empty() || trees.size() == n * n,
          "there must be room for a predecessor of each distance");
  return {rows.data, rows.stride, rows.on_device, fresh, trees.empty() ? nullptr : trees.data()};
}

/// Returns whether predecessors have been written.
bool apsp(GraphHandle& graph, const py::object& distances, bool fresh, py::array predecessors,
          const std::string& method, bool unweighted, bool negative_weights,
          const std::string& device_name, std::size_t memory_limit, py::object progress) {
  const Device device = Device::parse(device_name);
  return dispatch_weight(dtype_of(distances), [&]<class R>() {
    ApspOptions options{method_named(method), memory_limit, negative_weights};
    const ApspResult<R> result =
        result_in<R>(distances, fresh, predecessors, graph.pattern().n_vertices, device);
    const CsrView<R> host = host_view<R>(graph, unweighted);
    return run_released(std::move(progress), [&]() -> bool {
      return device.is_cuda()
                 ? WARPGRAPH_ON_CUDA(options.derived = &graph.derived_on(device),
                                     apsp_cuda(device_view<R>(graph, unweighted, device), host,
                                               options, result, *cuda::BorrowedStream(device)))
                 : (apsp_cpu(host, options, result), false);
    });
  });
}

}  // namespace

void init_apsp(py::module_& module) {
  module.def("apsp", &apsp, py::arg("graph"), py::arg("distances"), py::arg("fresh"),
             py::arg("predecessors"), py::arg("method"), py::arg("unweighted"),
             py::arg("negative_weights"), py::arg("device"), py::arg("memory_limit"),
             py::arg("progress"));
}

}  // namespace warpgraph
