// Spanning forests on the host, or on the device that has found them, as tuples of Python.
#pragma once

#include "bindings/core/lazy_result.hpp"
#include "bindings/forest_arrays.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "algorithms/mst/forest/device_forest.hpp"
#endif

namespace warpgraph {

/// A spanning forest as (edges, weights, positions), of NumPy arrays or of LazyResult.
using ForestResults = py::tuple;

#if defined(WARPGRAPH_HAS_CUDA)
template <class W>
ForestResults to_results(FoundForest<W>&& forest, Device device) {
  if (auto* const arrays = std::get_if<SpanningForest<W>>(&forest)) {
    return ForestResults(to_arrays(std::move(*arrays)));
  }
  auto& there = std::get<DeviceForest<W>>(forest);
  const auto n = static_cast<py::ssize_t>(there.positions.size());
  return py::make_tuple(to_lazy(std::move(there.ends), {n, 2}, device),
                        to_lazy(std::move(there.weights), {n}, device),
                        to_lazy(std::move(there.positions), {n}, device));
}
#endif

}  // namespace warpgraph
