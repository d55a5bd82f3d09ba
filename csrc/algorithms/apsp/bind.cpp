#include "algorithms/apsp/apsp.hpp"
#include "bindings/call.hpp"
#include "bindings/device_arrays.hpp"
#include "bindings/graph_handle.hpp"

#include <tuple>

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

// The members of StreamTuning, in their order.
using Stream = std::tuple<vertex_t, vertex_t>;

/// `distances` is a NumPy array, or one on the device that the work is done on.
template <class R>
ApspResult<R> result_in(const py::object& distances, vertex_t n_vertices, Device device) {
  const Rows<R> rows = writable_rows<R>(distances, device);
  EXPECTS(rows.n == n_vertices && rows.n_columns == n_vertices,
          "the distances must be a matrix with a row and a column for each vertex");
  return {rows.data, rows.stride, rows.on_device};
}

void apsp(GraphHandle& graph, const py::object& distances, const std::string& method,
          bool unweighted, const std::string& device_name, std::size_t memory_limit,
          py::object progress, const Stream& stream) {
  const Device device = Device::parse(device_name);
  dispatch_weight(dtype_of(distances), [&]<class R>() {
    ApspOptions options{method_named(method), memory_limit,
                        std::make_from_tuple<StreamTuning>(stream)};
    const ApspResult<R> result = result_in<R>(distances, graph.pattern().n_vertices, device);
    const CsrView<R> host = host_view<R>(graph, unweighted);
    run_released(std::move(progress), [&] {
      if (device.is_cuda()) {
        return WARPGRAPH_ON_CUDA(options.derived = &graph.derived_on(device),
                                 apsp_cuda(device_view<R>(graph, unweighted, device), host, options,
                                           result, *cuda::BorrowedStream(device)));
      }
      return apsp_cpu(host, options, result);
    });
  });
}

}  // namespace

void init_apsp(py::module_& module) {
  module.def("apsp", &apsp, py::arg("graph"), py::arg("distances"), py::arg("method"),
             py::arg("unweighted"), py::arg("device"), py::arg("memory_limit"), py::arg("progress"),
             py::arg("stream") = Stream{0, 0});
}

}  // namespace warpgraph
