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

/// Rows may lie apart, but the distances of one row lie close together.
void expect_rows(py::ssize_t items, py::ssize_t step, py::ssize_t item_step, py::ssize_t item) {
  EXPECTS(items <= 1 || item_step == item, "rows must be contiguous");
  EXPECTS(items <= 1 || (step % item == 0 && step >= item * items), "rows must not overlap");
}

template <class R>
ApspResult<R> result_on_host(py::array distances, vertex_t n_vertices) {
  EXPECTS(
      distances.ndim() == 2 && distances.shape(0) == n_vertices && distances.shape(1) == n_vertices,
      "the distances must be a matrix with a row and a column for each vertex");
  expect_rows(n_vertices, distances.strides(0), distances.strides(1), sizeof(R));
  return {static_cast<R*>(distances.mutable_data()),
          distances.strides(0) / static_cast<py::ssize_t>(sizeof(R)), false};
}

/// `distances` is a NumPy array, or one on the device that the work is done on.
template <class R>
ApspResult<R> result_in(const py::object& distances, vertex_t n_vertices, Device device) {
  if (!is_device_array(distances)) {
    return result_on_host<R>(py::reinterpret_borrow<py::array>(distances), n_vertices);
  }
  const std::span<R> values = writable_on<R>(distances, device);
  EXPECTS(values.size() == static_cast<std::size_t>(std::int64_t{n_vertices} * n_vertices),
          "the distances must be a matrix with a row and a column for each vertex");
  return {values.data(), n_vertices, true};
}

void apsp(GraphHandle& graph, const py::object& distances, const std::string& method,
          bool unweighted, const std::string& device_name, std::size_t memory_limit,
          py::object progress) {
  const Device device = Device::parse(device_name);
  dispatch_weight(dtype_of(distances), [&]<class R>() {
    const ApspOptions options{method_named(method), memory_limit};
    const ApspResult<R> result = result_in<R>(distances, graph.pattern().n_vertices, device);
    const CsrView<R> host = host_view<R>(graph, unweighted);
    run_released(std::move(progress), [&] {
      if (device.is_cuda()) {
        return WARPGRAPH_ON_CUDA(apsp_cuda(device_view<R>(graph, unweighted, device), host, options,
                                           result, *cuda::BorrowedStream(device)));
      }
      return apsp_cpu(host, options, result);
    });
  });
}

}  // namespace

void init_apsp(py::module_& module) {
  module.def("apsp", &apsp, py::arg("graph"), py::arg("distances"), py::arg("method"),
             py::arg("unweighted"), py::arg("device"), py::arg("memory_limit"),
             py::arg("progress"));
}

}  // namespace warpgraph
