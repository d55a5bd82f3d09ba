// Summaries of weights, weights of other types, and weights replaced by their ranks.
#include "bindings/core/only_planned.hpp"
#include "bindings/device.hpp"
#include "bindings/graph_arrays.hpp"
#include "graph/transform/weight_rank/weight_rank.hpp"
#include "graph/weights/convert_weights.hpp"
#include "primitives/distance_bounds/weight_summary.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "graph/transform/device_transform.hpp"
#endif

namespace warpgraph {
namespace {

/// Returns (the largest magnitude, whether float64 represents all sums of weights along simple
/// paths).
Tuple<double, bool> weight_summary(GraphHandle& graph) {
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

/// Writes the weights to an array of another dtype. Returns the positions of the first weight
/// beyond its range and of the first fraction, or -1.
Tuple<std::int64_t, std::int64_t> convert_to(const py::array& weights, bool are_lengths,
                                             py::array& made) {
  const WeightsAs as = are_lengths ? WeightsAs::lengths : WeightsAs::numbers;
  const Misfits found = dispatch_weight(weights.dtype(), [&]<class From>() {
    return dispatch_weight(made.dtype(), [&]<class To>() {
      const std::span<const From> given = readable<From>(weights);
      const std::span<To> to = writable<To>(made);
      return run_released([&] { return convert_weights(given, as, to); });
    });
  });
  return py::make_tuple(found.beyond, found.fraction);
}

bool convert_lengths_on(GraphHandle& graph, const py::dtype& dtype, Device device) {
  return dispatch_weight(dtype, [&]<class W>() {
    if (!graph.has_weights_on<W>(device)) begin_step(Step::making);
    return graph.convert_on<W>(device);
  });
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
  module.def("convert_weights", &convert_to, py::arg("weights"), py::arg("are_lengths"),
             py::arg("made"));
  module.def("convert_lengths_on", &convert_lengths_on, py::arg("graph"), py::arg("dtype"),
             py::arg("device"));
  module.def("rank_weights", &rank_weights_arrays, py::arg("weights"), py::arg("device"));
}

}  // namespace warpgraph
