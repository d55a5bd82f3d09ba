// Results of searches -> dictionaries as NetworkX returns them.
#include "bindings/call.hpp"
#include "bindings/graph/networkx/results/edge_attributes.hpp"
#include "bindings/graph/networkx/results/edge_dictionaries.hpp"
#include "bindings/graph/networkx/results/node_lists.hpp"
#include "bindings/graph/networkx/results/vertex_order.hpp"
#include "bindings/graphs.hpp"
#include "primitives/path_trees/tight_arcs.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

/// Returns {node: all nodes before it on shortest paths}. `distances` decide the type of the
/// weights.
NodeLists predecessor_lists(const NodeList& nodes, const Graph& graph,
                            std::span<const vertex_t> order, const py::array& distances,
                            bool unweighted) {
  return dispatch_weight(distances.dtype(), [&]<class W>() {
    const CsrView<W> view = host_view<W>(graph, unweighted);
    const auto far = readable<W>(distances);
    const TightArcs arcs = run_released([&] { return tight_arcs(view, order, far); });
    return group_lists(nodes, order, arcs.offsets, arcs.tails);
  });
}

/// Returns the vertices in the order of distances, which are hops if they are int32: see
/// order_by_distance.
py::array_t<vertex_t> order_of(const py::array& distances) {
  return dispatch_weight(distances.dtype(), [&]<class W>() {
    const auto far = readable<W>(distances);
    return to_array(run_released([&] { return order_by_distance(far); }));
  });
}

NodeValues node_values_of(const NodeList& nodes, std::span<const vertex_t> order,
                          const py::array& values) {
  return dispatch_weight(values.dtype(),
                         [&]<class W>() { return node_values(nodes, order, readable<W>(values)); });
}

std::pair<Adjacency, Adjacency> edge_dictionaries_of(const NodeList& nodes,
                                                     std::span<const vertex_t> vertices,
                                                     std::span<const vertex_t> tails,
                                                     std::span<const vertex_t> heads,
                                                     const NodeList& attributes, bool directed) {
  return edge_dictionaries(nodes, vertices, {tails, heads, attributes}, directed);
}

EdgeList edge_list_of(const NodeList& nodes, std::span<const vertex_t> tails,
                      std::span<const vertex_t> heads, const NodeList& attributes) {
  return edge_list(nodes, {tails, heads, attributes});
}

}  // namespace

void init_networkx_results(py::module_& module) {
  module.def("path_lists", &path_lists, py::arg("nodes"), py::arg("order"), py::arg("predecessors"),
             py::arg("to_root"));
  module.def("order_by_distance", &order_of, py::arg("distances"));
  module.def("sets_by_label", &sets_by_label, py::arg("nodes"), py::arg("labels"),
             py::arg("n_labels"));
  module.def("attribute_dictionaries", &attribute_dictionaries, py::arg("nodes"),
             py::arg("attributes"));
  module.def("node_values", &node_values_of, py::arg("nodes"), py::arg("order"), py::arg("values"));
  module.def("predecessor_lists", &predecessor_lists, py::arg("nodes"), py::arg("graph"),
             py::arg("order"), py::arg("distances"), py::arg("unweighted"));
  module.def("edge_attributes", &edge_attributes, py::arg("nodes"), py::arg("tails"),
             py::arg("heads"), py::arg("rows"));
  module.def("edge_list", &edge_list_of, py::arg("nodes"), py::arg("tails"), py::arg("heads"),
             py::arg("attributes"));
  module.def("edge_dictionaries", &edge_dictionaries_of, py::arg("nodes"), py::arg("vertices"),
             py::arg("tails"), py::arg("heads"), py::arg("attributes"), py::arg("directed"));
}

}  // namespace warpgraph
