// Sums of the weights that leave each vertex.
#include "algorithms/pagerank/pagerank.hpp"
#include "bindings/call.hpp"
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"

#include <pybind11/stl.h>

#include <optional>

namespace warpgraph {
namespace {

/// Returns the device that has the graph with its weights, if it has memory for sums; else the
/// host.
template <class W>
Device device_of_sums(Graph& graph) {
  const Device device = graph.device_of_copy();
  return graph.has_weights_on<W>(device) && graph.structure_bytes() < free_memory(device)
             ? device
             : Device{};
}

using Findings = Tuple<bool, bool>;  // all sums are in range, and all weights are 1

Findings findings(const LeavingWeights& found) {
  return py::make_tuple(found.in_range, found.all_ones);
}

/// Writes weight_sums.
Findings sum_leaving(Graph& graph, const py::dtype& dtype, bool unweighted,
                     std::span<double> weight_sums) {
  return findings(dispatch_weight(dtype, [&]<class W>() {
    const Device device = unweighted ? Device{} : device_of_sums<W>(graph);
    return run_released([&] {
      return run_on(
          device, [&] { return sum_leaving_weights(host_view<W>(graph, unweighted), weight_sums); },
          [&](const auto& stream) {
            return sum_leaving_weights_cuda(graph.view_on<W>(device), weight_sums, stream);
          });
    });
  }));
}

/// Keeps the sums on a device, for pagerank(). Returns None, and sums nothing, if the graph is not
/// there with its weights.
std::optional<Findings> keep_leaving(Graph& graph, const py::dtype& dtype, Device device) {
  return dispatch_weight(dtype, [&]<class W>() -> std::optional<Findings> {
    if (device_of_sums<W>(graph) != device || !device.is_cuda()) return std::nullopt;
    return findings(run_released([&] {
      return run_on_cuda<LeavingWeights>(device, [&](const auto&) {
        return keep_leaving_weights(graph.view_on<W>(device), graph.derived_on(device)).found;
      });
    }));
  });
}

}  // namespace

void init_pagerank_leaving(py::module_& module) {
  module.def("sum_leaving_weights", &sum_leaving, py::arg("graph"), py::arg("dtype"),
             py::arg("unweighted"), py::arg("weight_sums"));
  module.def("keep_leaving_weights", &keep_leaving, py::arg("graph"), py::arg("dtype"),
             py::arg("device"));
}

}  // namespace warpgraph
