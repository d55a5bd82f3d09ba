#include "algorithms/pagerank/order/gather_order.hpp"
#include "bindings/graph_arrays.hpp"

namespace warpgraph {
namespace {

/// Returns the renumbered graph as (indptr, indices, data, order), charged to the ledger; None
/// where memory lacks.
std::optional<MappedGraphArrays> order_for_gathers_of(const Graph& transposed, const Graph& graph,
                                                      const py::dtype& dtype,
                                                      std::span<const double> weight_sums,
                                                      std::span<const double> personalization,
                                                      std::span<const double> dangling,
                                                      std::span<const double> start,
                                                      std::size_t n_endpoints, Ledger& ledger) {
  const PageRankVectors vectors{weight_sums, personalization, dangling, start};
  const MemoryBudget budget = left_to_make(ledger);
  auto arrays = with_view(
      transposed, dtype,
      [&](const auto& view) {
        return order_for_gathers(view, graph.pattern(), vectors, n_endpoints, budget);
      },
      [](auto&& made) -> std::optional<MappedGraphArrays> {
        if (!made) return std::nullopt;
        Csr csr = std::move(made->graph);
        return py::make_tuple(to_array(std::move(csr.offsets)), to_array(std::move(csr.heads)),
                              to_array(std::move(csr.weights)), to_array(std::move(made->order)));
      });
  if (arrays) charged(*arrays, ledger);
  return arrays;
}

}  // namespace

void init_pagerank_gather_order(py::module_& module) {
  module.def("order_for_gathers", &order_for_gathers_of, py::arg("transposed"), py::arg("graph"),
             py::arg("dtype"), py::arg("weight_sums"), py::arg("personalization"),
             py::arg("dangling"), py::arg("start"), py::arg("n_endpoints"), py::arg("ledger"));
}

}  // namespace warpgraph
