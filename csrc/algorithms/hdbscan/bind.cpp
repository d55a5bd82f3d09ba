#include "algorithms/hdbscan/bind_tree.hpp"
#include "algorithms/hdbscan/hdbscan.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

ClusterTree condense_linkage(std::span<const double> linkage, vertex_t min_cluster_size,
                             double persistence) {
  return to_tuple(
      run_released([&] { return simplify(condense(linkage, min_cluster_size), persistence); }));
}

/// Returns (clusters of the labels, labels, probabilities, persistences).
Tuple<py::array, py::array, py::array, py::array> select(const SelectionOptions& options,
                                                         const ClusterTree& tree) {
  const CondensedTreeView view = to_view(tree);
  Selection found = run_released([&] { return select_clusters(view, options); });
  return py::make_tuple(to_array(std::move(found.clusters)), to_array(std::move(found.labels)),
                        to_array(std::move(found.probabilities)),
                        to_array(std::move(found.persistence)));
}

/// Returns the number of clusters for each of `min_cluster_sizes`.
py::array_t<vertex_t> sweep_min_cluster_sizes(const SelectionOptions& options,
                                              std::span<const double> linkage,
                                              std::span<const vertex_t> min_cluster_sizes,
                                              double persistence, std::span<vertex_t> labels,
                                              std::span<double> probabilities, Progress progress) {
  return to_array(run_released(std::move(progress), [&] {
    return sweep_sizes(linkage, min_cluster_sizes, persistence, options, labels, probabilities);
  }));
}

void score_outliers(const ClusterTree& tree, std::span<double> scores) {
  const CondensedTreeView view = to_view(tree);
  run_released([&] { outlier_scores(view, scores); });
}

/// Returns (points by label, where each label's begin).
Tuple<py::array, py::array> find_exemplars(const ClusterTree& tree,
                                           std::span<const vertex_t> selected) {
  const CondensedTreeView view = to_view(tree);
  Exemplars found = run_released([&] { return exemplars(view, selected); });
  return py::make_tuple(to_array(std::move(found.points)), to_array(std::move(found.begin)));
}

}  // namespace

void init_hdbscan(py::module_& module) {
  module.def("condense", &condense_linkage, py::arg("linkage"), py::arg("min_cluster_size"),
             py::arg("persistence"));
  define_selection(module, "select_clusters", &select, {"tree"});
  define_selection(
      module, "sweep_cluster_sizes", &sweep_min_cluster_sizes,
      {"linkage", "min_cluster_sizes", "persistence", "labels", "probabilities", "progress"});
  module.def("outlier_scores", &score_outliers, py::arg("tree"), py::arg("scores"));
  module.def("exemplars", &find_exemplars, py::arg("tree"), py::arg("selected"));
}

}  // namespace warpgraph
