// A condensed tree as the tuple of its arrays, and the options of what selects clusters of it.
#pragma once

#include "algorithms/hdbscan/selection.hpp"
#include "bindings/arrays.hpp"
#include "bindings/call.hpp"
#include "bindings/keywords.hpp"

WARPGRAPH_NAMES(warpgraph::SelectionMethod, {"eom", eom}, {"leaf", leaf});

namespace warpgraph {

/// Defines name(arguments..., *, options of the selection), as function(options, arguments...).
template <class Function, std::size_t N>
void define_selection(py::module_& module, const char* name, Function* function,
                      const char* const (&arguments)[N]) {
  define(module, name, function, arguments, keyword("method", &SelectionOptions::method),
         keyword("allow_single_cluster", &SelectionOptions::allow_single_cluster),
         keyword("max_cluster_size", &SelectionOptions::max_cluster_size),
         keyword("epsilon", &SelectionOptions::epsilon),
         keyword("epsilon_max", &SelectionOptions::epsilon_max));
}

/// The arrays of a tree: (point_cluster, point_lambda, parent, birth, death, size, stability).
using ClusterTree =
    Tuple<py::array, py::array, py::array, py::array, py::array, py::array, py::array>;

inline ClusterTree to_tuple(CondensedTree&& tree) {
  return py::make_tuple(to_array(std::move(tree.point_cluster)),
                        to_array(std::move(tree.point_lambda)), to_array(std::move(tree.parent)),
                        to_array(std::move(tree.birth)), to_array(std::move(tree.death)),
                        to_array(std::move(tree.size)), to_array(std::move(tree.stability)));
}

/// The arrays of a tree without its points: (parent, birth, death, size, stability).
using Clusters = Tuple<py::array, py::array, py::array, py::array, py::array>;

inline Clusters to_clusters(CondensedTree&& tree) {
  return py::make_tuple(to_array(std::move(tree.parent)), to_array(std::move(tree.birth)),
                        to_array(std::move(tree.death)), to_array(std::move(tree.size)),
                        to_array(std::move(tree.stability)));
}

/// Returns a view of memory that the tuple owns, as the function below does.
inline CondensedTreeView to_view_of_clusters(const py::tuple& clusters) {
  const auto part = [&](std::size_t i) { return clusters[i].cast<py::array>(); };
  CondensedTreeView view;
  view.parent = readable<vertex_t>(part(0));
  view.birth = readable<double>(part(1));
  view.death = readable<double>(part(2));
  view.size = readable<vertex_t>(part(3));
  view.stability = readable<double>(part(4));
  return view;
}

inline CondensedTreeView to_view(const py::tuple& tree) {
  const auto part = [&](std::size_t i) { return tree[i].cast<py::array>(); };
  return {readable<vertex_t>(part(0)), readable<double>(part(1)), readable<vertex_t>(part(2)),
          readable<double>(part(3)),   readable<double>(part(4)), readable<vertex_t>(part(5)),
          readable<double>(part(6))};
}

}  // namespace warpgraph
