// The type of the sums, which decides about the time of Floyd and Warshall's method.
#include "algorithms/apsp/accumulator.hpp"
#include "bindings/call.hpp"
#include "bindings/graph_handle.hpp"
#include "bindings/keywords.hpp"
#include "core/threads/small_work.hpp"

WARPGRAPH_NAMES(warpgraph::apsp_detail::Accumulator, {"uint16", uint16}, {"int32", int32},
                {"int64", int64}, {"int64", saturating_int64}, {"float32", float32},
                {"float64", float64});

namespace warpgraph {
namespace {

using apsp_detail::Accumulator;

/// (the type of the sums, or a wider one; whether they are exact), for weights as they are stored.
std::pair<Accumulator, bool> sums_of_apsp(const GraphHandle& graph, bool unweighted,
                                          const py::dtype& weights, const py::dtype& dtype) {
  const auto summary = dispatch_weight(weights, [&]<class W>() {
    const CsrView<W> view = host_view<W>(graph, unweighted);
    return run_released([&] {
      const CallThreads threads = threads_for(static_cast<double>(view.n_arcs));
      return shortest_paths::summarise_numbers(view);
    });
  });
  const vertex_t n = graph.pattern().n_vertices;
  return dispatch_weight(dtype, [&]<class R>() {
    return std::pair(apsp_detail::accumulator_for<R>(summary, n, summary.bound()),
                     shortest_paths::has_exact_sums<R>(summary));
  });
}

}  // namespace

void init_apsp_sums(py::module_& module) {
  module.def("sums_of_apsp", &sums_of_apsp, py::arg("graph"), py::arg("unweighted"),
             py::arg("weights"), py::arg("dtype"));
}

}  // namespace warpgraph
