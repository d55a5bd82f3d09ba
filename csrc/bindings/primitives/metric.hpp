// Arguments of the functions of metrics.
#pragma once

#include "bindings/arrays.hpp"
#include "bindings/graph/points.hpp"
#include "bindings/keywords.hpp"
#include "primitives/metric/metrics.hpp"

namespace warpgraph {

/// Calls f<Coordinate>() for the dtype of points: float32, float64, or uint64 for bits.
template <class F>
auto dispatch_coordinate(const py::object& points, F&& f) {
  const py::dtype dtype = dtype_of(points);
  if (dtype.equal(py::dtype::of<std::uint64_t>())) return f.template operator()<std::uint64_t>();
  return dispatch_real(dtype, f);
}

}  // namespace warpgraph

WARPGRAPH_NAMES(warpgraph::MetricName, {"manhattan", manhattan}, {"chebyshev", chebyshev},
                {"minkowski", minkowski}, {"hamming", hamming}, {"jaccard", jaccard},
                {"euclidean", euclidean}, {"cosine", cosine}, {"haversine", haversine});
