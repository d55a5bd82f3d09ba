// Summaries of weights, weights that need special treatment, and weights replaced by their ranks.
#include "bindings/device.hpp"
#include "bindings/graph_arrays.hpp"
#include "graph/transform/weight_rank/weight_rank.hpp"
#include "primitives/distance_bounds/weight_summary.hpp"

#include <pybind11/stl.h>

#if defined(WARPGRAPH_HAS_CUDA)
#include "graph/transform/device_transform.hpp"
#endif

namespace warpgraph {
namespace {

/// An entry of the matrix as (position, tail, head, weight).
using Entry = std::optional<Tuple<std::int64_t, std::int64_t, std::int64_t, py::object>>;

/// Returns (the first negative weight, the first weight equal to the distance "unreachable").
Tuple<Entry, Entry> unusual_weights(GraphHandle& graph) {
  graph.check();
  const UnusualWeights found = graph.unusual_weights();
  return dispatch_weight(graph.dtype_of_caller(), [&]<class W>() -> Tuple<Entry, Entry> {
    const auto entry = [&](edge_t position) -> py::object {
      if (position < 0) return py::none();
      const CsrView<W> view = graph.view<W>();
      return py::make_tuple(position, tail_of(view, position), view.heads[position],
                            view.weights[position]);
    };
    return py::make_tuple(entry(found.negative), entry(found.unreachable));
  });
}

/// Returns (the largest magnitude, whether float64 represents all sums of weights along simple
/// paths).
Tuple<double, bool> weight_summary(GraphHandle& graph) {
  const shortest_paths::WeightSummary weights = graph.weight_summary();
  return py::make_tuple(weights.largest, shortest_paths::has_exact_sums<double>(weights));
}

/// The names that NumPy has for the types of weights.
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
  module.def("unusual_weights", &unusual_weights, py::arg("graph"));
  module.def("weight_summary", &weight_summary, py::arg("graph"));
  module.def("rank_weights", &rank_weights_arrays, py::arg("weights"), py::arg("device"));
}

}  // namespace warpgraph
