// Rows of unit length that differ by no more than rounding, and that stand for one.
#pragma once

#include "graph/points/points.hpp"

#include <cstdint>
#include <span>

namespace warpgraph {

/// Bounds of the difference of two coordinates that rounding may have caused: relative to the
/// larger magnitude of both, and absolute, which are added.
struct Rounding {
  double relative = 0;
  double absolute = 0;
};

/// The rounding of places on the unit sphere, of coordinates in double: longitudes up to 4 pi that
/// differ by 2 pi, up to the rounding of degrees and of radians, are less than this apart.
inline constexpr Rounding rounding_of_places{.relative = 0, .absolute = 0x1p-47};

/// Replaces rows by others that differ by no more than rounding. Representatives are the rows of
/// which `are_first` says so, of which no two are near each other, and in an order of the values
/// each row that is near no representative before it. Every row becomes the nearest representative
/// among those that are near it. So the result is a function of the set of rows, and no row is
/// moved by more than rounding, however many rows there are. Rows have length 1; `are_first`: none
/// if empty.
template <class T>
void join_near_rows(std::span<T> rows, std::int64_t dimension, Rounding rounding,
                    std::span<const std::uint8_t> are_first = {});

/// Replaces each row by the nearest of the fitted rows that are near it, if there is one.
template <class T>
void take_near_rows(std::span<T> rows, const PointsView<T>& fitted, Rounding rounding);

}  // namespace warpgraph
