// Summaries of weights, and weights replaced by their ranks.
#include "bindings/device.hpp"
#include "bindings/graph_arrays.hpp"
#include "graph/transform/weight_rank/weight_rank.hpp"
#include "primitives/distance_bounds/weight_summary.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "graph/transform/device_transform.hpp"
#endif

namespace warpgraph {
namespace {

/// Returns (the largest finite magnitude, whether float64 is proven to represent all sums of
/// weights along simple paths: only if they are integers).
Tuple<double, bool> weight_summary(Graph& graph) {
  const shortest_paths::WeightSummary weights = graph.weight_summary();
  return py::make_tuple(weights.largest, shortest_paths::has_exact_sums<double>(weights));
}

/// Returns the names that NumPy has for the types of weights.
py::typing::List<py::str> weight_dtypes() {
  py::list names;
#define WARPGRAPH_APPEND(W) names.append(py::str(py::dtype::of<W>()));
  WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_APPEND)
#undef WARPGRAPH_APPEND
  return names;
}

/// Ranks of weights as (ranks, first_rank, values).
using RankArrays = Tuple<py::array, std::int64_t, py::array>;

RankArrays rank_weights_arrays(const py::array& weights, Device device) {
  return dispatch_weight(weights.dtype(), [&]<class W>() -> RankArrays {
    const std::span<const W> values = readable<W>(weights);
    WeightRanks<W> ranked = run_released([&] {
      return run_on(
          device, [&] { return rank_weights(values); },
          [&](const auto& stream) { return rank_weights_cuda(values, stream); });
    });
    const auto to_any_array = [](auto& ranks) -> py::array { return to_array(std::move(ranks)); };
    return py::make_tuple(std::visit(to_any_array, ranked.ranks), ranked.first_rank,
                          to_array(std::move(ranked.values)));
  });
}

}  // namespace

void init_weights(py::module_& module) {
  module.def("weight_dtypes", &weight_dtypes);
  module.def("weight_summary", &weight_summary, py::arg("graph"));
  module.def("rank_weights", &rank_weights_arrays, py::arg("weights"), py::arg("device"));
}

}  // namespace warpgraph
