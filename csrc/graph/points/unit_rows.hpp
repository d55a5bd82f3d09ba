// The directions of points: rows of length 1, which are equal where rows are parallel.
//
// A row is first divided by its largest coordinate, so that exact multiples of a row are one row
// already. Multiples that were rounded differ in their last bits. Where coordinates are in the
// ratios of small integers, up to rounding, these integers take their place, so that the direction
// of counts is the same whatever factor they were multiplied by. Other directions that differ by
// no more than rounding are joined (near_rows.hpp).
#pragma once

#include "graph/points/near_rows.hpp"
#include "graph/points/points.hpp"

#include <limits>
#include <span>

namespace warpgraph {

/// Returns by how much the directions of two parallel rows may differ, if the rows are rounded
/// multiples of one row. With u, half of T's epsilon: both rows are off by u, their quotients by
/// double's u and the lengths of these by as much as the coordinates, twice, then come the sum, the
/// root and the quotient by it, and the conversion to T. For double that is less than 14 u, and for
/// float, whose quotients and lengths are of double, less than 6.1 u.
template <class T>
constexpr Rounding rounding_of_directions() noexcept {
  constexpr double u = std::numeric_limits<T>::epsilon() / 2;
  return {.relative = (sizeof(T) == sizeof(double) ? 15 : 6.5) * u, .absolute = 0};
}

/// The choice what becomes of directions that differ by no more than rounding.
enum class NearDirections { joined, kept };

/// Divides rows by their lengths. Parallel rows become one: see above. The result is a function of
/// the set of rows, whatever their order; where near directions are kept, each is one of its row
/// alone. No square overflows or vanishes. Returns the first row that is 0, whose result is
/// undefined, or the number of rows.
template <class T>
std::int64_t unit_rows(const PointsView<T>& points, std::span<T> units,
                       NearDirections near = NearDirections::joined);

}  // namespace warpgraph
