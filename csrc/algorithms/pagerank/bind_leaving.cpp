// Sums of the weights that leave each vertex.
#include "algorithms/pagerank/pagerank.hpp"
#include "bindings/call.hpp"
#include "bindings/device.hpp"
#include "bindings/graph_handle.hpp"

namespace warpgraph {
namespace {

/// Returns the device that has the graph with its weights, if it has memory for sums; else the
/// host.
template <class W>
Device device_of_sums(GraphHandle& graph) {
  const Device device = graph.device_of_copy();
  return graph.has_weights_on<W>(device) && graph.structure_bytes() < free_memory(device)
             ? device
             : Device{};
}

/// Writes weight_sums. Returns (whether all sums are in range, whether all weights are 1).
Tuple<bool, bool> sum_leaving(GraphHandle& graph, const py::dtype& dtype, bool unweighted,
                              std::span<double> weight_sums) {
  const LeavingWeights found = dispatch_weight(dtype, [&]<class W>() {
    const Device device = unweighted ? Device{} : device_of_sums<W>(graph);
    return run_released([&] {
      return run_on(
          device, [&] { return sum_leaving_weights(host_view<W>(graph, unweighted), weight_sums); },
          [&](const auto& stream) {
            return sum_leaving_weights_cuda(graph.view_on<W>(device), weight_sums, stream);
          });
    });
  });
  return py::make_tuple(found.in_range, found.all_ones);
}

}  // namespace

void init_leaving_weights(py::module_& module) {
  module.def("sum_leaving_weights", &sum_leaving, py::arg("graph"), py::arg("dtype"),
             py::arg("unweighted"), py::arg("weight_sums"));
}

}  // namespace warpgraph
