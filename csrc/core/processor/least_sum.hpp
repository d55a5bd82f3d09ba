// The least sum of two arrays, item by item: a product in the min-plus semiring.
#pragma once

#include "core/processor/vectors.hpp"

#include <cstddef>
#include <cstring>

namespace warpgraph {

/// Returns the least of `bound` and a[i] + b[i] for i < n. No sum may be NaN.
template <class T>
T least_sum(const T* a, const T* b, std::size_t n, T bound) {
  return with_widest_vectors([=]<int bytes>() __attribute__((always_inline)) {
    using Vector = typename VectorOf<T, bytes>::unaligned;
    constexpr std::size_t lanes = bytes / sizeof(T);
    T least = bound;
    std::size_t i = 0;
    if (n >= lanes) {
      Vector least_of_lanes = Vector{} + bound;
      for (; i + lanes <= n; i += lanes) {
        const Vector sum =
            *reinterpret_cast<const Vector*>(a + i) + *reinterpret_cast<const Vector*>(b + i);
        least_of_lanes = sum < least_of_lanes ? sum : least_of_lanes;
      }
      T of_lanes[lanes];
      std::memcpy(of_lanes, &least_of_lanes, sizeof of_lanes);
      for (const T of_lane : of_lanes) least = of_lane < least ? of_lane : least;
    }
    for (; i < n; ++i) {
      const T sum = a[i] + b[i];
      least = sum < least ? sum : least;
    }
    return least;
  });
}

}  // namespace warpgraph
