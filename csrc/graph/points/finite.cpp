#include "graph/points/finite.hpp"

#include "core/threads/parallel.hpp"

#include <cmath>

namespace warpgraph {

template <class T>
std::int64_t first_non_finite(const PointsView<T>& points) {
  return parallel_find_first(points.n_points * points.dimension,
                             [&](std::int64_t i) { return !std::isfinite(points.coordinates[i]); });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(first_non_finite)

}  // namespace warpgraph
