#include "algorithms/hdbscan/bind_tree.hpp"
#include "algorithms/hdbscan/hdbscan.hpp"
#include "bindings/graph/points.hpp"

namespace warpgraph {
namespace {

/// Neighbours, distances, core distances, and core distances of the new points.
using Neighbours = Tuple<py::array, py::array, py::array, py::array>;

NewPlaces places_of(const py::tuple& found) {
  const auto part = [&](std::size_t i) { return found[i].cast<py::array>(); };
  const NewNeighbours view{readable<std::int64_t>(part(0)), readable<double>(part(1)),
                           part(0).shape(1), readable<double>(part(2)), readable<double>(part(3))};
  return run_released([&] { return place_new_points(view); });
}

void predict_new(const ClusterTree& tree, std::span<const vertex_t> selected, double epsilon,
                 const Neighbours& found, std::span<vertex_t> labels,
                 std::span<double> probabilities) {
  const CondensedTreeView view = to_view(tree);
  const NewPlaces places = places_of(found);
  run_released([&] { predict(view, selected, epsilon, places, labels, probabilities); });
}

void score_new(const ClusterTree& tree, const Neighbours& found, std::span<double> scores) {
  const CondensedTreeView view = to_view(tree);
  const NewPlaces places = places_of(found);
  run_released([&] { new_outlier_scores(view, places, scores); });
}

/// Writes the memberships of points in the selected clusters. `found` is that of places_of, or None
/// for the points of the tree.
void fill_memberships(const ClusterTree& tree, std::span<const vertex_t> selected,
                      const py::object& found, const py::array& array, const py::array& exemplars,
                      std::span<const std::int64_t> begin, std::span<double> memberships,
                      Progress progress) {
  dispatch_real(array.dtype(), [&]<class T>() {
    const Points<T> points(array, Device{});
    const Points<T> typical(exemplars, Device{});
    const ExemplarsView<T> by_label{typical.view(), begin};
    const CondensedTreeView view = to_view(tree);
    const NewPlaces places = found.is_none() ? NewPlaces{} : places_of(found);
    run_released(std::move(progress), [&] {
      if (found.is_none()) {
        all_memberships(view, selected, points.view(), by_label, memberships);
      } else {
        new_memberships(view, selected, places, points.view(), by_label, memberships);
      }
    });
  });
}

}  // namespace

void init_hdbscan_points(py::module_& module) {
  module.def("predict_clusters", &predict_new, py::arg("tree"), py::arg("selected"),
             py::arg("epsilon"), py::arg("found"), py::arg("labels"), py::arg("probabilities"));
  module.def("outlier_scores_of_new", &score_new, py::arg("tree"), py::arg("found"),
             py::arg("scores"));
  module.def("memberships", &fill_memberships, py::arg("tree"), py::arg("selected"),
             py::arg("found"), py::arg("points"), py::arg("exemplars"), py::arg("begin"),
             py::arg("memberships"), py::arg("progress"));
}

}  // namespace warpgraph
