// The index of a point on a Hilbert curve, by Skilling's transformation [1] of the point's cell in
// a grid over a box.
//
// [1] Skilling: Programming the Hilbert curve. AIP Conference Proceedings 707, 2004.
#pragma once

#include "core/order_key.hpp"
#include "graph/points/device_points.hpp"
#include "graph/points/dimensions.hpp"

namespace warpgraph::bvh {

using hilbert_index_t = std::uint64_t;  // position on the curve

/// Returns the number of bits of an index per axis.
WARPGRAPH_HOST_DEVICE constexpr int bits_per_axis(int dimension) {
  return dimension == 1 ? 32 : 64 / dimension;
}

/// Boxes of runs of points, as keys for an atomic minimum: for each run the lowest corner, then the
/// highest corner with inverted bits, so that the minimum finds it, too. Each corner has places for
/// max_fixed_dimension numbers.
template <class T>
struct RunBoxes {
  order_key_t<T>* keys;

  static constexpr int size = 2 * max_fixed_dimension;
  __device__ order_key_t<T>& low(std::int64_t run, int axis) const {
    return keys[run * size + axis];
  }
  __device__ order_key_t<T>& inverted_high(std::int64_t run, int axis) const {
    return keys[run * size + max_fixed_dimension + axis];
  }
};

namespace detail {

/// Returns the cell of a coordinate in a grid of 2^bits cells over [low, high].
template <class T>
__device__ std::uint32_t cell_of(T coordinate, T low, T high, int bits) {
  T width = high - low;
  T from_low = coordinate - low;
  if (width == T(0)) return 0;
  if (width == infinity<T>()) {  // beside such a width, what halving loses is nothing
    width = high / 2 - low / 2;
    from_low = coordinate / 2 - low / 2;
  }
  const double cells = static_cast<double>(std::uint64_t{1} << bits);
  const double cell = static_cast<double>(from_low / width) * cells;
  return cell < cells - 1 ? static_cast<std::uint32_t>(cell)
                          : static_cast<std::uint32_t>(cells - 1);
}

/// Transforms a cell in place to the bits of its Hilbert index (AxestoTranspose of [1]). The first
/// axis holds the first bit, the second axis the second bit, and so on in turn.
template <int max_dimension>
__device__ void axes_to_transpose(std::uint32_t (&cell)[max_dimension], int dimension, int bits) {
  for (std::uint32_t bit = 1u << (bits - 1); bit > 1; bit >>= 1) {
    const std::uint32_t below = bit - 1;
#pragma unroll
    for (int k = 0; k < max_dimension; ++k) {
      if (k >= dimension) break;
      if ((cell[k] & bit) != 0) {
        cell[0] ^= below;
      } else {
        const std::uint32_t differ = (cell[0] ^ cell[k]) & below;
        cell[0] ^= differ;
        cell[k] ^= differ;
      }
    }
  }
  std::uint32_t last = cell[0];  // Gray code
#pragma unroll
  for (int k = 1; k < max_dimension; ++k) {
    if (k >= dimension) break;
    cell[k] ^= last;
    last = cell[k];
  }
  std::uint32_t flips = 0;
  for (std::uint32_t bit = 1u << (bits - 1); bit > 1; bit >>= 1) {
    if ((last & bit) != 0) flips ^= bit - 1;
  }
#pragma unroll
  for (int k = 0; k < max_dimension; ++k) cell[k] ^= flips;
}

/// Returns the index of point p on the curve in the box of a run.
template <class T>
__device__ hilbert_index_t hilbert_index_of(const DevicePoints<T>& points, vertex_t p,
                                            const RunBoxes<T>& boxes, std::int64_t run) {
  constexpr int max_dimension = max_fixed_dimension;
  const int bits = bits_per_axis(points.dimension);
  std::uint32_t cell[max_dimension] = {};
#pragma unroll
  for (int k = 0; k < max_dimension; ++k) {
    if (k >= points.dimension) break;
    cell[k] =
        cell_of(points.at(p, k), from_order_key<T>(boxes.low(run, k)),
                from_order_key<T>(static_cast<order_key_t<T>>(~boxes.inverted_high(run, k))), bits);
  }
  axes_to_transpose(cell, points.dimension, bits);
  hilbert_index_t index = 0;
  for (int bit = bits - 1; bit >= 0; --bit) {
#pragma unroll
    for (int k = 0; k < max_dimension; ++k) {
      if (k >= points.dimension) break;
      index = index << 1 | (cell[k] >> bit & 1u);
    }
  }
  return index;
}

}  // namespace detail
}  // namespace warpgraph::bvh
