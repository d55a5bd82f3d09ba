// Searches of small matrices of SciPy, whose own have less to do.
#include "algorithms/traversal/traversal.hpp"
#include "bindings/graph/small_matrix.hpp"
#include "plan/rates.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

using Indices = py::array_t<vertex_t>;
/// The order and the predecessors.
using Visits = Tuple<Indices, Indices>;

/// Returns the visits, or None if read_small_matrix returns nothing, or if `start` is no vertex.
template <vertex_t find_order(const CsrPattern&, const TraversalOptions&, std::span<vertex_t>,
                              std::span<vertex_t>),
          std::int64_t max_arcs>
std::optional<Visits> visits_of(const py::object& matrix, const py::object& start,
                                vertex_t missing) {
  constexpr std::int64_t max_vertices = plan::rates::size_of_a_short_traversal;
  const std::optional<SmallMatrix> small = read_small_matrix(matrix, max_vertices, max_arcs);
  if (!small) return {};
  const CsrPattern& graph = small->view;
  TraversalOptions options;
  options.source = vertex_named_by(start, graph.n_vertices);
  options.missing = missing;
  if (options.source == no_vertex) return {};

  Indices predecessors(graph.n_vertices);
  std::vector<vertex_t> order(static_cast<std::size_t>(graph.n_vertices));
  const vertex_t n_visited =
      find_order(graph, options, order, {predecessors.mutable_data(), order.size()});
  return Visits(py::make_tuple(Indices(n_visited, order.data()), predecessors));
}

}  // namespace

void init_traversal_small(py::module_& module) {
  using namespace plan::rates;
  module.def("small_breadth_first_order",
             &visits_of<breadth_first_order, arcs_of_a_short_breadth_first>, py::arg("matrix"),
             py::arg("start"), py::arg("missing"));
  module.def("small_depth_first_order", &visits_of<depth_first_order, size_of_a_short_traversal>,
             py::arg("matrix"), py::arg("start"), py::arg("missing"));
}

}  // namespace warpgraph
