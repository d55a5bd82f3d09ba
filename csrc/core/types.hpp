// The vocabulary of the whole library: how vertices and arcs are numbered, which weights exist,
// what "unreachable" is, and how a path grows by one arc.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#if defined(__CUDACC__)
#define WARPGRAPH_HOST_DEVICE __host__ __device__
#else
#define WARPGRAPH_HOST_DEVICE
#endif

// The ONE list of weight types. Every explicit instantiation and every dispatch goes through it.
#define WARPGRAPH_FOR_EACH_WEIGHT(X) X(float) X(double) X(std::int32_t) X(std::int64_t)

namespace warpgraph {

using vertex_t = std::int32_t;  // vertices: at most 2^31 - 1
using edge_t = std::int64_t;    // arcs: more than 2^31 of them are legal

inline constexpr vertex_t no_vertex = -1;

namespace detail {
// Constants at namespace scope: device code may read them, but not call std::numeric_limits.
template <class W>
inline constexpr W largest = std::numeric_limits<W>::has_infinity
                                 ? std::numeric_limits<W>::infinity()
                                 : std::numeric_limits<W>::max();
template <class W>
inline constexpr W lowest = std::numeric_limits<W>::lowest();
}  // namespace detail

/// The distance of an unreachable vertex, and the weight of an arc that is never used: inf, or the
/// largest integer. No integer weight that is a number may be equal to it where distances are added
/// up; Graph.handle_for of _graph.py sees to that.
template <class W>
WARPGRAPH_HOST_DEVICE constexpr W infinity() noexcept {
  return detail::largest<W>;
}

/// distance + weight, where an infinite weight leads nowhere. Integers stick at infinity instead of
/// wrapping round, so an overflow can be seen afterwards: an arc leads from a reached vertex to one
/// that is still at infinity.
template <class W>
WARPGRAPH_HOST_DEVICE constexpr W extend(W distance, W weight) noexcept {
  if constexpr (std::is_integral_v<W>) {
    constexpr W most = infinity<W>();
    if (weight >= 0) {
      return distance > most - weight || weight == most ? most : distance + weight;
    }
    constexpr W lowest = detail::lowest<W>;
    return distance < lowest - weight ? lowest : distance + weight;
  } else {
    return distance + weight;
  }
}

}  // namespace warpgraph
