// Arguments of the functions of metrics.
#pragma once

#include "bindings/arrays.hpp"
#include "bindings/graph/points.hpp"
#include "primitives/metric/metrics.hpp"

#include <string_view>

namespace warpgraph {

/// Returns the metric of a name; p: of minkowski.
inline Metric metric_of(std::string_view name, double p, std::int64_t n_coordinates) {
  constexpr std::array<std::string_view, 8> names{"manhattan", "chebyshev", "minkowski",
                                                  "hamming",   "jaccard",   "euclidean",
                                                  "cosine",    "haversine"};
  const auto found = std::find(names.begin(), names.end(), name);
  EXPECTS(found != names.end(), "unknown metric ", name);
  return {static_cast<MetricName>(found - names.begin()), p, n_coordinates};
}

/// Calls f<Coordinate>() for the dtype of points: float32, float64, or uint64 for bits.
template <class F>
auto dispatch_coordinate(const py::object& points, F&& f) {
  const py::dtype dtype = dtype_of(points);
  if (dtype.equal(py::dtype::of<std::uint64_t>())) return f.template operator()<std::uint64_t>();
  return dispatch_real(dtype, f);
}

}  // namespace warpgraph
