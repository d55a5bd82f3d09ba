// Weights of other types.
#include "bindings/core/new_array.hpp"
#include "bindings/core/only_planned.hpp"
#include "bindings/graph_arrays.hpp"
#include "core/containers/at.hpp"
#include "core/memory/ledger.hpp"
#include "graph/weights/convert_weights.hpp"

namespace warpgraph {
namespace {

/// Weights of another dtype, the positions of the first weight beyond its range and of the first
/// fraction, or -1.
using Converted = Tuple<py::array, std::int64_t, std::int64_t>;

/// Returns the weights as an array of another dtype, which is charged to the ledger.
Converted convert_to(const py::array& weights, const py::dtype& dtype, bool are_lengths,
                     Ledger& ledger) {
  begin_step(Step::making);
  const std::size_t bytes = at(weights.size() * dtype.itemsize());
  if (ledger.counts(Device{})) {
    const auto name = py::str(dtype).cast<std::string>();
    ledger.require("converting the weights to " + name, bytes,
                   "pass a graph with " + name + " weights");
  }
  py::array made = new_array({weights.size()}, dtype);
  const WeightsAs as = are_lengths ? WeightsAs::lengths : WeightsAs::numbers;
  const Misfits found = dispatch_weight(weights.dtype(), [&]<class From>() {
    return dispatch_weight(dtype, [&]<class To>() {
      const std::span<const From> given = readable<From>(weights);
      const std::span<To> to = writable<To>(made);
      return run_released([&] { return convert_weights(given, as, to); });
    });
  });
  if (found.beyond < 0 && found.fraction < 0) ledger.charge(bytes);
  return py::make_tuple(std::move(made), found.beyond, found.fraction);
}

bool convert_lengths_on(Graph& graph, const py::dtype& dtype, Device device) {
  return dispatch_weight(dtype, [&]<class W>() {
    if (!graph.has_weights_on<W>(device)) begin_step(Step::making);
    return graph.convert_on<W>(device);
  });
}

}  // namespace

void init_weight_types(py::module_& module) {
  module.def("convert_weights", &convert_to, py::arg("weights"), py::arg("dtype"),
             py::arg("are_lengths"), py::arg("ledger"));
  module.def("convert_lengths_on", &convert_lengths_on, py::arg("graph"), py::arg("dtype"),
             py::arg("device"));
}

}  // namespace warpgraph
