#include "algorithms/hdbscan/bind_tree.hpp"
#include "algorithms/hdbscan/device/device_hdbscan.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/items.hpp"

namespace warpgraph {
namespace {

using hdbscan::PointPlaces;

/// Clusters and lambdas of the points, both on the device.
using PointArrays = Tuple<py::object, py::object>;

PointPlaces to_places(const PointArrays& points, Device device) {
  return {writable_on<vertex_t>(points[0], device), writable_on<double>(points[1], device)};
}

/// Returns the clusters, and the least lambda at which anything leaves the root.
Tuple<Clusters, double> condense_there(const py::object& linkage, vertex_t min_cluster_size,
                                       const PointArrays& points, Device device,
                                       MemoryBudget budget) {
  const auto rows = writable_on<double>(linkage, device);
  const PointPlaces places = to_places(points, device);
  auto [clusters, least_lambda] = run_released([&] {
    return run_on_cuda<hdbscan::DeviceCondensedTree>(device, [&](const auto& stream) {
      return hdbscan::condense_cuda(rows, min_cluster_size, places, budget.on(device), stream);
    });
  });
  return py::make_tuple(to_clusters(std::move(clusters)), least_lambda);
}

/// Returns (clusters of the labels, persistences). Labels and probabilities may be in host memory.
Tuple<py::array, py::array> select_there(const SelectionOptions& options, const Clusters& clusters,
                                         double least_lambda, const PointArrays& points,
                                         const py::object& labels, const py::object& probabilities,
                                         Device device) {
  const CondensedTreeView tree = to_view_of_clusters(clusters);
  const PointPlaces places = to_places(points, device);
  const auto label_items = writable_items<vertex_t>(labels, device);
  const auto chance_items = writable_items<double>(probabilities, device);
  Selection found = run_released([&] {
    return run_on_cuda<Selection>(device, [&](const auto& stream) {
      const auto label = device_output(label_items, stream);
      const auto chance = device_output(chance_items, stream);
      Selection selection = hdbscan::select_clusters_cuda(tree, least_lambda, places, options,
                                                          {label.span(), chance.span()},
                                                          MemoryBudget(device), stream);
      label.finish();
      chance.finish();
      return selection;
    });
  });
  return py::make_tuple(to_array(std::move(found.clusters)),
                        to_array(std::move(found.persistence)));
}

}  // namespace

void init_hdbscan_device(py::module_& module) {
  module.def("condense_on_device", &condense_there, py::arg("linkage"), py::arg("min_cluster_size"),
             py::arg("points"), py::arg("device"), py::arg("ledger"));
  define_selection(module, "select_clusters_on_device", &select_there,
                   {"clusters", "least_lambda", "points", "labels", "probabilities", "device"});
}

}  // namespace warpgraph
