#include "algorithms/small_graphs/small_graphs.hpp"
#include "bindings/arrays.hpp"
#include "bindings/call.hpp"
#include "bindings/graphs.hpp"

namespace warpgraph {
namespace {

using small_graphs::Options;
using Span = std::span<vertex_t>;

void search(const Graph& graph, std::span<const vertex_t> sources, std::span<double> distances,
            Span predecessors, double limit, bool directed, bool unweighted, vertex_t missing) {
  run_released([&] {
    const Options options{limit, directed, unweighted, missing};
    small_graphs::search(graph.view<double>(), sources, options, {distances, predecessors});
  });
}

void search_from_nearest(const Graph& graph, std::span<const vertex_t> sources,
                         std::span<double> distances, Span predecessors, Span nearest, double limit,
                         bool directed, bool unweighted, vertex_t missing) {
  run_released([&] {
    const Options options{limit, directed, unweighted, missing};
    small_graphs::search_from_nearest(graph.view<double>(), sources, options,
                                      {distances, predecessors}, nearest);
  });
}

void floyd_warshall(const Graph& graph, std::span<double> distances, Span predecessors,
                    bool directed, bool unweighted, vertex_t missing) {
  run_released([&] {
    const Options options{infinity<double>(), directed, unweighted, missing};
    small_graphs::floyd_warshall(graph.view<double>(), options, {distances, predecessors});
  });
}

py::array_t<edge_t> spanning_forest(const Graph& graph) {
  return to_array(
      run_released([&] { return small_graphs::spanning_forest(graph.view<double>()); }));
}

}  // namespace

void init_small_graphs(py::module_& module) {
  module.def("small_search", &search, py::arg("graph"), py::arg("sources"), py::arg("distances"),
             py::arg("predecessors"), py::arg("limit"), py::arg("directed"), py::arg("unweighted"),
             py::arg("missing"));
  module.def("small_search_from_nearest", &search_from_nearest, py::arg("graph"),
             py::arg("sources"), py::arg("distances"), py::arg("predecessors"), py::arg("nearest"),
             py::arg("limit"), py::arg("directed"), py::arg("unweighted"), py::arg("missing"));
  module.def("small_floyd_warshall", &floyd_warshall, py::arg("graph"), py::arg("distances"),
             py::arg("predecessors"), py::arg("directed"), py::arg("unweighted"),
             py::arg("missing"));
  module.def("small_spanning_forest", &spanning_forest, py::arg("graph"));
}

}  // namespace warpgraph
