// Where a point is on a Hilbert curve.
//
// By Skilling's transformation [1] of its cell in a grid over a box.
//
// [1] Skilling: Programming the Hilbert curve. AIP Conference Proceedings 707, 2004.
#pragma once

#include "algorithms/emst/device_spans.hpp"
#include "core/order_key.hpp"

namespace warpgraph::emst {

using place_t = std::uint64_t;  // on the curve

/// Bits of a place that each axis gets.
WARPGRAPH_HOST_DEVICE constexpr int bits_of_axis(int dimension) {
  return dimension == 1 ? 32 : 64 / dimension;
}

/// Boxes as keys that an atomic minimum works on: of a run, the lowest corner and then the inverted
/// highest, most_tree_dimensions apart.
template <class T>
struct RunBoxes {
  order_key_t<T>* keys;

  static constexpr int size = 2 * most_tree_dimensions;
  __device__ order_key_t<T>& low(std::int64_t run, int axis) const {
    return keys[run * size + axis];
  }
  __device__ order_key_t<T>& inverted_high(std::int64_t run, int axis) const {
    return keys[run * size + most_tree_dimensions + axis];
  }
};

namespace detail {

/// Where in [low, high] a coordinate is, in steps of 2^-bits.
template <class T>
__device__ std::uint32_t cell_of(T coordinate, T low, T high, int bits) {
  T width = high - low;
  T from_low = coordinate - low;
  if (width == T(0)) return 0;
  if (width == infinity<T>()) {  // numbers so large that halving them loses nothing
    width = high / 2 - low / 2;
    from_low = coordinate / 2 - low / 2;
  }
  const double cells = static_cast<double>(std::uint64_t{1} << bits);
  const double cell = static_cast<double>(from_low / width) * cells;
  return cell < cells - 1 ? static_cast<std::uint32_t>(cell)
                          : static_cast<std::uint32_t>(cells - 1);
}

/// Skilling's transformation of a cell to its place on the Hilbert curve: in place, to the bits of
/// the place, of which the first axis has the first, the second axis the second and so on.
template <int most>
__device__ void turn_cell(std::uint32_t (&cell)[most], int dimension, int bits) {
  for (std::uint32_t bit = 1u << (bits - 1); bit > 1; bit >>= 1) {
    const std::uint32_t below = bit - 1;
#pragma unroll
    for (int k = 0; k < most; ++k) {
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
  for (int k = 1; k < most; ++k) {
    if (k >= dimension) break;
    cell[k] ^= last;
    last = cell[k];
  }
  std::uint32_t turned = 0;
  for (std::uint32_t bit = 1u << (bits - 1); bit > 1; bit >>= 1) {
    if ((last & bit) != 0) turned ^= bit - 1;
  }
#pragma unroll
  for (int k = 0; k < most; ++k) cell[k] ^= turned;
}

template <class T>
__device__ place_t place_of(const DeviceRows<T>& points, vertex_t p, const RunBoxes<T>& boxes,
                            std::int64_t run) {
  constexpr int most = most_tree_dimensions;
  const int bits = bits_of_axis(points.dimension);
  std::uint32_t cell[most] = {};
#pragma unroll
  for (int k = 0; k < most; ++k) {
    if (k >= points.dimension) break;
    cell[k] =
        cell_of(points.at(p, k), from_order_key<T>(boxes.low(run, k)),
                from_order_key<T>(static_cast<order_key_t<T>>(~boxes.inverted_high(run, k))), bits);
  }
  turn_cell(cell, points.dimension, bits);
  place_t place = 0;
  for (int bit = bits - 1; bit >= 0; --bit) {
#pragma unroll
    for (int k = 0; k < most; ++k) {
      if (k >= points.dimension) break;
      place = place << 1 | (cell[k] >> bit & 1u);
    }
  }
  return place;
}

}  // namespace detail
}  // namespace warpgraph::emst
