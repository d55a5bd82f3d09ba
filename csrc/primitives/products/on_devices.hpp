// The sizes for which products of panels find nearest neighbours on devices.
#pragma once

#include "graph/points/dimensions.hpp"

#include <cstdint>

namespace warpgraph::products {

/// Points of a panel.
inline constexpr int panel_width = 128;
/// Upper bound on the neighbours of a point, besides itself.
inline constexpr int most_neighbours = 128;
/// Upper bound on the dimensions, well below the one whose errors are too large.
inline constexpr std::int64_t most_dimensions = std::int64_t{1} << 16;

/// Returns whether they find the neighbours of other points.
constexpr bool find_neighbours_of_queries(std::int64_t dimension, std::int64_t n_neighbours) {
  return dimension > max_fixed_dimension && n_neighbours > 0 && n_neighbours <= most_neighbours;
}

/// Returns whether they find the neighbours of the points themselves. Panels of few points are
/// nearly empty, and take the memory of whole ones.
constexpr bool find_neighbours(std::int64_t n_points, std::int64_t dimension,
                               std::int64_t n_neighbours) {
  return n_points >= panel_width && dimension <= most_dimensions &&
         find_neighbours_of_queries(dimension, n_neighbours);
}

}  // namespace warpgraph::products
