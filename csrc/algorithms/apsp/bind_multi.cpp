#include "algorithms/apsp/apsp.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/graph_arrays.hpp"
#include "bindings/graphs.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

template <class R>
void run_on_several(const CsrView<R>& host, [[maybe_unused]] Graph& graph,
                    [[maybe_unused]] bool unweighted, const ApspOptions& options,
                    const ApspResult<R>& result, const std::vector<Device>& devices) {
#if defined(WARPGRAPH_HAS_CUDA)
  if (devices.at(0).is_cuda()) {
    std::vector<CsrView<R>> graphs;
    for (const Device device : devices) {
      graphs.push_back(device_view<R>(graph, unweighted, device));
    }
    apsp_multi(graphs, host, options, result, devices);
    return;
  }
#endif
  const CallThreads threads(static_cast<int>(devices.size()));
  apsp_cpu(host, options, result);
}

/// Writes the distances of all pairs, and returns false: it writes no predecessors. `distances` is
/// a NumPy array, `fresh` if it has not been written before. CUDA devices have rows of the matrix
/// each; ["cpu"] * 3 has three threads.
bool apsp_on_several(const ApspOptions& options, Graph& graph, const py::object& distances,
                     bool fresh, bool unweighted, const std::vector<Device>& devices,
                     Progress progress) {
  dispatch_weight(dtype_of(distances), [&]<class R>() {
    const RowMatrix<R> rows = writable_rows<R>(distances, Device{});
    const CsrView<R> host = host_view<R>(graph, unweighted);
    EXPECTS(rows.n == host.n_vertices && rows.n_columns == host.n_vertices,
            "the distances must be a matrix with a row and a column for each vertex");
    const ApspResult<R> result{rows.data, rows.stride, false, fresh};
    run_released(std::move(progress),
                 [&] { run_on_several(host, graph, unweighted, options, result, devices); });
  });
  return false;
}

}  // namespace

void init_apsp_multi(py::module_& module) {
  define(module, "apsp_on_several", &apsp_on_several,
         {"graph", "distances", "fresh", "unweighted", "devices", "progress"},
         keyword("negative_weights", &ApspOptions::negative_weights),
         keyword("ledger", &ApspOptions::budget));
}

}  // namespace warpgraph
