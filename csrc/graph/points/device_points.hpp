// What is asked of points that lie on a device.
#pragma once

#include "core/cuda/stream.hpp"
#include "graph/points/points.hpp"

#include <span>

namespace warpgraph {

/// The place of the first coordinate that is NaN or infinite, counted through all rows; behind the
/// last one if there is none. Waits for the answer.
template <class T>
std::int64_t first_not_finite(const PointsView<T>& points, const cuda::Stream& stream);

/// Copies rows to host memory: as many as `taken` has room for. Waits for them.
template <class T>
void take_rows(const PointsView<T>& points, std::span<const std::int64_t> rows, std::span<T> taken,
               const cuda::Stream& stream);

}  // namespace warpgraph
