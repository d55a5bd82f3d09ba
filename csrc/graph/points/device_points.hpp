// Queries on points in device memory.
#pragma once

#include "core/cuda/stream.hpp"
#include "graph/points/magnitudes.hpp"
#include "graph/points/points.hpp"

#include <span>

namespace warpgraph {

/// Points in device memory: coordinate k of point p is at coordinates[p * dimension + k].
template <class T>
struct DevicePoints {
  const T* coordinates;
  vertex_t n;
  int dimension;

  WARPGRAPH_HOST_DEVICE T at(vertex_t p, int axis) const {
    return coordinates[static_cast<std::int64_t>(p) * dimension + axis];
  }
};

/// Returns the index of the first coordinate that is NaN or infinite, counted through all rows, or
/// the number of coordinates if there is none. Waits for the result.
template <class T>
std::int64_t first_non_finite(const PointsView<T>& points, const cuda::Stream& stream);

/// Returns the range of the finite coordinates. Waits for the result.
template <class T>
Magnitudes magnitudes_of(const PointsView<T>& points, const cuda::Stream& stream);

/// Copies the given rows to host memory: as many as `gathered` has space for. Waits for them.
template <class T>
void gather_rows(const PointsView<T>& points, std::span<const std::int64_t> rows,
                 std::span<T> gathered, const cuda::Stream& stream);

}  // namespace warpgraph
