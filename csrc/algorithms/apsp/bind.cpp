#include "algorithms/apsp/apsp.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"
#include "bindings/on_device/device_arrays.hpp"

WARPGRAPH_NAMES(warpgraph::ApspMethod, {"floyd_warshall", blocked},
                {"floyd_warshall_naive", naive});

namespace warpgraph {
namespace {

/// Returns a result whose arrays are those of Python. `distances` is a NumPy array, or an array on
/// the device that runs the method. If it is `fresh`, neither it nor `predecessors` has been
/// written before. `predecessors` is empty if they are not wanted.
template <class R>
ApspResult<R> result_in(const py::object& distances, bool fresh, std::span<vertex_t> predecessors,
                        vertex_t n_vertices, Device device) {
  const RowMatrix<R> rows = writable_rows<R>(distances, device);
  EXPECTS(rows.n == n_vertices && rows.n_columns == n_vertices,
          "the distances must be a matrix with a row and a column for each vertex");
  const auto n = static_cast<std::size_t>(n_vertices);
  EXPECTS(predecessors.empty() || predecessors.size() == n * n,
          "there must be room for a predecessor of each distance");
  return {rows.data, rows.stride, rows.on_device, fresh,
          predecessors.empty() ? nullptr : predecessors.data()};
}

/// Returns whether predecessors have been written.
bool apsp(const ApspOptions& given, Graph& graph, const py::object& distances,
          std::span<vertex_t> predecessors, bool fresh, bool unweighted, Device device,
          Progress progress) {
  return dispatch_weight(dtype_of(distances), [&]<class R>() {
    const ApspResult<R> result =
        result_in<R>(distances, fresh, predecessors, graph.pattern().n_vertices, device);
    const CsrView<R> host = host_view<R>(graph, unweighted);
    ApspOptions options = given;
    return run_released(std::move(progress), [&] {
      return run_on(
          device,
          [&] {
            apsp_cpu(host, options, result);
            return false;
          },
          [&](const auto& stream) {
            options.derived = &graph.derived_on(device);
            return apsp_cuda(device_view<R>(graph, unweighted, device), host, options, result,
                             stream);
          });
    });
  });
}

}  // namespace

void init_apsp(py::module_& module) {
  define(module, "apsp", &apsp,
         {"graph", "distances", "predecessors", "fresh", "unweighted", "device", "progress"},
         keyword("method", &ApspOptions::method),
         keyword("negative_weights", &ApspOptions::negative_weights),
         keyword("ledger", &ApspOptions::budget));
}

}  // namespace warpgraph
