// The range of coordinates in host memory; device_points.hpp has that of points on a device.
#pragma once

#include "graph/points/points.hpp"

#include <limits>

namespace warpgraph {

/// Magnitudes of finite coordinates that are not 0. If there are none, the least is infinite and
/// the largest 0.
struct Magnitudes {
  double least = std::numeric_limits<double>::infinity();
  double largest = 0;
};

template <class T>
Magnitudes magnitudes_of(const PointsView<T>& points);

}  // namespace warpgraph
