// Test for finite points in host memory; device_points.hpp has the one for points on a device.
#pragma once

#include "graph/points/points.hpp"

namespace warpgraph {

/// Returns the index of the first coordinate that is NaN or infinite, counted through all rows, or
/// the number of coordinates if there is none.
template <class T>
std::int64_t first_non_finite(const PointsView<T>& points);

}  // namespace warpgraph
