// Graphs in calls from Python, and the types of weights as dtypes of NumPy.
#pragma once

#include "bindings/arrays.hpp"
#include "bindings/call.hpp"
#include "plan/number.hpp"
#include "warpgraph/graph.hpp"

namespace warpgraph {

/// Calls f.operator()<W>() for the weight type that a NumPy dtype names.
template <class F>
auto dispatch_weight(const py::dtype& dtype, F&& f) {
  // NumPy has one object for each of its own dtypes; to compare two takes much longer.
#define WARPGRAPH_TRY(W) \
  if (dtype.is(py::dtype::of<W>())) return f.template operator()<W>();
  WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_TRY)
#undef WARPGRAPH_TRY
#define WARPGRAPH_TRY(W) \
  if (dtype.equal(py::dtype::of<W>())) return f.template operator()<W>();
  WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_TRY)
#undef WARPGRAPH_TRY
  throw py::type_error(concat("weights must be float32, float64, int32 or int64, not ",
                              py::str(dtype).cast<std::string>()));
}

/// Returns the weight type that a NumPy dtype names.
[[nodiscard]] inline Number number_of(const py::dtype& dtype) {
  return dispatch_weight(dtype, []<class W>() { return number_of<W>(); });
}

}  // namespace warpgraph
