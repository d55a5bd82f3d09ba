#include "algorithms/bfs/bfs.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"
#include "bindings/items.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

/// Searches from a vertex. `hops` is a NumPy array, or one on the device that searches; a CUDA
/// device writes only those of the targets, if there are any. `predecessors` may be empty: then
/// they are not computed. Several devices are those of bfs_multi.
void bfs(const BfsOptions& given, Graph& graph, std::optional<Graph*> transposed,
         const py::object& hops, std::span<vertex_t> predecessors,
         std::span<const vertex_t> targets, const std::vector<Device>& devices, Progress progress) {
  const Device device = devices.at(0);
  const Items<vertex_t> items = writable_items<vertex_t>(hops, device);
  BfsOptions options = given;
  options.targets = targets;
  run_released(std::move(progress), [&] {
    if (devices.size() > 1) {
      options.parts = graph.parts_on(devices);
      if (transposed && options.by_levels)
        options.entering = (*transposed)->parts_like(*options.parts);
      return bfs_multi(graph.pattern(), devices, options, items.span, predecessors);
    }
    CsrPattern entering;
    if (transposed) {
      entering = device.is_cuda() ? (*transposed)->pattern_on(device) : (*transposed)->pattern();
      options.transposed = &entering;
    }
    run_on(
        device, [&] { bfs_cpu(graph.pattern(), options, items.span, predecessors); },
        [&](const auto& stream) {
          const CsrPattern on_device = graph.pattern_on(device);
          bfs_cuda(on_device, graph.shape(), options, {items.span, predecessors, items.on_device},
                   stream);
        });
  });
}

/// Rows of many_to_many with arcs of length 1, int32, become hops: what is not reached becomes -1.
void hops_of_rows(const py::typing::List<py::array>& rows) {
  std::vector<std::span<vertex_t>> spans;
  for (const auto& row : rows) {
    auto array = py::reinterpret_borrow<py::array>(row);
    spans.push_back(writable<vertex_t>(array));
  }
  run_released([&] {
    for (const std::span<vertex_t> row : spans) lengths_to_hops(row);
  });
}

void reference(const BfsOptions& given, const Graph& graph, std::span<vertex_t> hops,
               std::span<vertex_t> predecessors, std::span<const vertex_t> targets) {
  BfsOptions options = given;
  options.targets = targets;
  run_released([&] { bfs_reference(graph.pattern(), options, hops, predecessors); });
}

}  // namespace

void init_bfs(py::module_& module) {
  define(module, "bfs", &bfs,
         {"graph", "transposed", "hops", "predecessors", "targets", "devices", "progress"},
         keyword("source", &BfsOptions::source), keyword("limit", &BfsOptions::limit),
         keyword("mirrored", &BfsOptions::symmetric), keyword("by_levels", &BfsOptions::by_levels),
         keyword("ascending_heads", &BfsOptions::ascending_heads),
         keyword("ledger", &BfsOptions::budget));
  module.def("lengths_to_hops", &hops_of_rows, py::arg("rows"));
  define(module, "bfs_reference", &reference, {"graph", "hops", "predecessors", "targets"},
         keyword("source", &BfsOptions::source), keyword("limit", &BfsOptions::limit));
}

}  // namespace warpgraph
