// A condensed tree as the tuple of its arrays.
#pragma once

#include "algorithms/hdbscan/condensed_tree.hpp"
#include "bindings/arrays.hpp"
#include "bindings/call.hpp"

namespace warpgraph {

/// (point_cluster, point_lambda, parent, birth, death, size, stability).
using ClusterTree =
    Tuple<py::array, py::array, py::array, py::array, py::array, py::array, py::array>;

inline ClusterTree to_tuple(CondensedTree&& tree) {
  return py::make_tuple(to_array(std::move(tree.point_cluster)),
                        to_array(std::move(tree.point_lambda)), to_array(std::move(tree.parent)),
                        to_array(std::move(tree.birth)), to_array(std::move(tree.death)),
                        to_array(std::move(tree.size)), to_array(std::move(tree.stability)));
}

/// The tuple owns the memory.
inline CondensedTreeView to_view(const py::tuple& tree) {
  const auto part = [&](std::size_t i) { return tree[i].cast<py::array>(); };
  return {readable<vertex_t>(part(0)), readable<double>(part(1)), readable<vertex_t>(part(2)),
          readable<double>(part(3)),   readable<double>(part(4)), readable<vertex_t>(part(5)),
          readable<double>(part(6))};
}

}  // namespace warpgraph
