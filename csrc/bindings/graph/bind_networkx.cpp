// Dictionaries of a NetworkX graph -> CSR arrays.
#include "bindings/graph/networkx/read_networkx.hpp"
#include "bindings/graph_arrays.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

/// A graph as (indptr, indices, data); data is None if all edges weigh 1.
using NetworkxArrays = Tuple<py::array, py::array, std::optional<py::array>>;

NetworkxArrays networkx_arrays(Csr<Unweighted>&& graph) {
  return py::make_tuple(to_array(std::move(graph.offsets)), to_array(std::move(graph.heads)),
                        py::none());
}

template <class W>
NetworkxArrays networkx_arrays(Csr<W>&& graph) {
  return to_arrays(std::move(graph));
}

/// Returns None if the graph is unusual: see read_networkx.
std::optional<NetworkxArrays> csr_from_networkx(const py::object& nodes,
                                                const py::object& adjacency,
                                                const std::optional<py::str>& weight, bool directed,
                                                bool multigraph, bool keeps_order) {
  const ArcOrder order = keeps_order ? ArcOrder::dictionaries : ArcOrder::edges;
  std::optional<NetworkxCsr> read =
      read_networkx({nodes, adjacency, directed, multigraph, order}, weight);
  if (!read) return std::nullopt;
  return std::visit([](auto& graph) { return networkx_arrays(std::move(graph)); }, *read);
}

}  // namespace

void init_networkx(py::module_& module) {
  module.def("csr_from_networkx", &csr_from_networkx, py::arg("nodes"), py::arg("adjacency"),
             py::arg("weight"), py::arg("directed"), py::arg("multigraph"), py::arg("keeps_order"));
}

}  // namespace warpgraph
