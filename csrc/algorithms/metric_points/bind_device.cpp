#include "algorithms/emst/emst.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/primitives/metric.hpp"

namespace warpgraph {
namespace {

/// Writes edges and weights, also those that overflow, which are the last.
void tree_on_device(const EmstOptions& options, const py::object& points, MetricName name, double p,
                    std::int64_t n_coordinates, const py::object& edges, const py::object& weights,
                    Device device, MemoryBudget budget, Progress progress) {
  const Metric metric{name, p, n_coordinates};
  dispatch_coordinate(points, [&]<class T>() {
    const Points<T> there(points, device);
    const TreeView tree{writable_items<vertex_t>(edges, device).span.data(),
                        writable_items<double>(weights, device).span.data()};
    run_released(std::move(progress), [&] {
      run_on_cuda(device, [&](const auto& stream) {
        emst_by_metric_cuda(there.view(), metric, options, tree, budget.on(device), stream);
      });
    });
  });
}

}  // namespace

void init_metric_points_device(py::module_& module) {
  define(module, "mst_by_metric_on_device", &tree_on_device,
         {"points", "metric", "p", "n_coordinates", "edges", "weights", "device", "ledger",
          "progress"},
         keyword("min_samples", &EmstOptions::min_samples), keyword("alpha", &EmstOptions::alpha));
}

}  // namespace warpgraph
