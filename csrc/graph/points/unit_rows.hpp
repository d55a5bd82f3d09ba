// The directions of points: rows of length 1.
#pragma once

#include "graph/points/points.hpp"

#include <span>

namespace warpgraph {

/// Divides rows by their lengths, which are computed in double: those of the divided rows are off
/// by few roundings of their type. No square overflows or vanishes. Returns the first row that is
/// 0, or the number of rows.
template <class T>
std::int64_t unit_rows(const PointsView<T>& points, std::span<T> units);

}  // namespace warpgraph
