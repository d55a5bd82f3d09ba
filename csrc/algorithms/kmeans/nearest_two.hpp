// The two nearest centres of each point of a tile, or all distances, by SIMD instructions with one
// lane per point.
#pragma once

#include "core/types.hpp"

#include <array>
#include <cstdint>
#include <type_traits>

namespace warpgraph::kmeans_detail {

/// The points per tile: one cache line of coordinates per axis.
template <class T>
inline constexpr int tile_points = static_cast<int>(64 / sizeof(T));

/// An integer as wide as T, so that indices and values have equally many lanes.
template <class T>
using lane_index = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

template <class T>
struct NearestTwo {
  alignas(64) std::array<T, static_cast<std::size_t>(tile_points<T>)> first;   // squared distances
  alignas(64) std::array<T, static_cast<std::size_t>(tile_points<T>)> second;  // infinity if there
                                                                               // is only one centre
  alignas(64) std::array<lane_index<T>, static_cast<std::size_t>(tile_points<T>)> nearest;
};

/// Finds the two nearest centres. `columns` has the tile's coordinates axis by axis, tile_points
/// per axis, 64-byte aligned. Of equally near centres the first is the nearest.
void nearest_two(const float* columns, std::int64_t dimension, const float* centres,
                 vertex_t n_centres, NearestTwo<float>& found);
void nearest_two(const double* columns, std::int64_t dimension, const double* centres,
                 vertex_t n_centres, NearestTwo<double>& found);

/// Computes the squared distances of the points of a tile to centres, tile_points for each centre,
/// 64-byte aligned. `columns` is as for nearest_two.
void tile_distances(const float* columns, std::int64_t dimension, const float* centres,
                    std::int64_t n_centres, float* distances);
void tile_distances(const double* columns, std::int64_t dimension, const double* centres,
                    std::int64_t n_centres, double* distances);

}  // namespace warpgraph::kmeans_detail
