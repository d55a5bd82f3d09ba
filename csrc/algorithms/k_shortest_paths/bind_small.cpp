// Paths in SciPy's matrices that are so small that preparing a call, with a plan and threads, would
// take longer than the search.
#include "algorithms/k_shortest_paths/k_shortest_paths.hpp"
#include "algorithms/small_graphs/small_graphs.hpp"
#include "bindings/graph/small_matrix.hpp"
#include "core/threads/parallel.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "plan/rates.hpp"

#include <pybind11/stl.h>

#include <algorithm>

namespace warpgraph {
namespace {

/// Lengths, the start of each path and the end of the last, and vertices.
using SmallPaths = Tuple<py::array_t<double>, py::array_t<edge_t>, py::array_t<vertex_t>>;

struct Question {
  vertex_t source;
  vertex_t target;
  std::int64_t k;
  bool directed;
  bool unweighted;
};

KShortestPaths<double> answer(CsrView<double> graph, const Question& question) {
  const CallThreads alone(1);  // it holds Python's lock, for about a millisecond
  Csr<double> both_ways;
  if (!question.directed) {
    both_ways = symmetrise(graph);
    graph = both_ways.view();
  }
  if (question.unweighted) graph.weights = nullptr;
  const Csr<double> backward = transpose(graph);
  HostVector<double> to_target(static_cast<std::size_t>(graph.n_vertices));
  small_graphs::search(backward.view(), {{question.target}}, {}, {to_target, {}});
  KShortestPathsOptions options;
  options.source = question.source;
  options.target = question.target;
  options.k = question.k;
  return k_shortest_paths<double>(graph, backward.view(), to_target, options);
}

/// Returns the paths, or None if read_small_matrix returns nothing, as for matrices that are too
/// large for so many paths, a weight is negative or NaN, `k` is no int that is at least 1, or an
/// end is no vertex.
std::optional<SmallPaths> paths_of(const py::object& matrix, const py::object& source,
                                   const py::object& target, const py::object& k, bool directed,
                                   bool unweighted) {
  const std::int64_t n_paths = vertex_named_by(k, plan::rates::work_of_short_paths);
  if (n_paths < 1) return {};
  const std::int64_t most = plan::rates::work_of_short_paths / n_paths;
  const std::optional<SmallMatrix> small = read_small_matrix(matrix, most, most);
  if (!small) return {};
  const CsrView<double>& graph = small->view;
  const Question question{vertex_named_by(source, graph.n_vertices),
                          vertex_named_by(target, graph.n_vertices), n_paths, directed, unweighted};
  if (question.source == no_vertex || question.target == no_vertex) return {};
  const double* const weights = graph.weights;
  if (!std::all_of(weights, weights + graph.n_arcs, [](double w) { return w >= 0; })) return {};
  KShortestPaths<double> found = answer(graph, question);
  return SmallPaths(py::make_tuple(to_array(std::move(found.lengths)),
                                   to_array(std::move(found.offsets)),
                                   to_array(std::move(found.vertices))));
}

}  // namespace

void init_k_shortest_paths_small(py::module_& module) {
  module.def("small_k_shortest_paths", &paths_of, py::arg("matrix"), py::arg("source"),
             py::arg("target"), py::arg("k"), py::arg("directed"), py::arg("unweighted"));
}

}  // namespace warpgraph
