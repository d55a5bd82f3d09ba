// Spanning forests as tuples of NumPy arrays.
#pragma once

#include "algorithms/mst/mst.hpp"
#include "bindings/arrays.hpp"

namespace warpgraph {

/// A spanning forest as (edges, weights, positions).
using ForestArrays = Tuple<py::array, py::array, py::array_t<edge_t>>;

template <class W>
ForestArrays to_arrays(SpanningForest<W>&& forest) {
  return py::make_tuple(to_pairs(std::move(forest.ends)), to_array(std::move(forest.weights)),
                        to_array(std::move(forest.positions)));
}

}  // namespace warpgraph
