// The types of the whole library: of vertices, arcs and weights; the value that means
// "unreachable"; the length of a path that is extended by an arc.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#if defined(__CUDACC__)
#define WARPGRAPH_HOST_DEVICE __host__ __device__
#else
#define WARPGRAPH_HOST_DEVICE
#endif

// The only list of weight types. Every explicit instantiation and every dispatch uses it.
#define WARPGRAPH_FOR_EACH_WEIGHT(X) X(float) X(double) X(std::int32_t) X(std::int64_t)

// Explicit instantiations of the function template f, which is not overloaded. Where sources are
// compiled together, those that use it may see its definition: a declaration keeps them from
// instantiating it as well.
#define WARPGRAPH_INSTANTIATE_FUNCTION(f, ...) template decltype(f<__VA_ARGS__>) f<__VA_ARGS__>;
#define WARPGRAPH_DECLARE_FUNCTION(f, ...) extern WARPGRAPH_INSTANTIATE_FUNCTION(f, __VA_ARGS__)
#define WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(f) \
  WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(f)        \
  WARPGRAPH_INSTANTIATE_FUNCTION(f, std::int32_t) WARPGRAPH_INSTANTIATE_FUNCTION(f, std::int64_t)
#define WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(f) \
  WARPGRAPH_INSTANTIATE_FUNCTION(f, float) WARPGRAPH_INSTANTIATE_FUNCTION(f, double)

namespace warpgraph {

using vertex_t = std::int32_t;  // vertices: at most 2^31 - 1
using edge_t = std::int64_t;    // arcs: more than 2^31 of them are legal

inline constexpr vertex_t no_vertex = -1;

namespace detail {
// Constants at namespace scope: device code can read them, but cannot call std::numeric_limits.
template <class W>
inline constexpr W largest = std::numeric_limits<W>::has_infinity
                                 ? std::numeric_limits<W>::infinity()
                                 : std::numeric_limits<W>::max();
template <class W>
inline constexpr W lowest = std::numeric_limits<W>::lowest();
}  // namespace detail

/// Returns the distance of an unreachable vertex, and the weight of an arc that is never used: inf,
/// or the largest integer. Where distances are sums of integer weights, no weight may be equal to
/// it; Graph.handle_for of _graph/graph.py checks that.
template <class W>
WARPGRAPH_HOST_DEVICE constexpr W infinity() noexcept {
  return detail::largest<W>;
}

/// Returns distance + weight, or infinity if the weight is. Integers saturate instead of wrapping
/// round, so an overflow is detected afterwards: an arc leads from a reached vertex to one that is
/// still at infinity.
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
