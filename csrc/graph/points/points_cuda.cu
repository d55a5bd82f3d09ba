#include "core/cuda/copies/upload.hpp"
#include "core/cuda/for_each.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "graph/points/device_points.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace warpgraph {
namespace {

template <class T>
struct FindNonFinite {
  const T* coordinates;
  unsigned long long* first;
  __device__ void operator()(std::int64_t i) const {
    const T difference = coordinates[i] - coordinates[i];  // NaN for NaN and for infinity
    if (difference != T(0)) atomicMin(first, static_cast<unsigned long long>(i));
  }
};

/// Combines the bits of the least and of the largest magnitude, as double, with those of every
/// `stride`-th coordinate. Bits of numbers that are not negative are in their order.
template <class T>
struct FindMagnitudes {
  const T* coordinates;
  std::int64_t n;
  std::int64_t stride;
  unsigned long long* range;
  __device__ void operator()(std::int64_t first) const {
    Magnitudes found;
    for (std::int64_t i = first; i < n; i += stride) {
      const double magnitude = fabs(static_cast<double>(coordinates[i]));
      if (magnitude == 0 || !isfinite(magnitude)) continue;
      found.least = magnitude < found.least ? magnitude : found.least;
      found.largest = magnitude > found.largest ? magnitude : found.largest;
    }
    atomicMin(range, static_cast<unsigned long long>(__double_as_longlong(found.least)));
    atomicMax(range + 1, static_cast<unsigned long long>(__double_as_longlong(found.largest)));
  }
};

template <class T>
struct GatherCoordinate {
  PointsView<T> points;
  const std::int64_t* rows;
  T* gathered;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t row = i / points.dimension;
    gathered[i] = points.row(rows[row])[i - row * points.dimension];
  }
};

}  // namespace

template <class T>
std::int64_t first_non_finite(const PointsView<T>& points, const cuda::Stream& stream) {
  const std::int64_t n = points.n_points * points.dimension;
  const cuda::DeviceBuffer<unsigned long long> first(1, stream);
  cuda::fill(first.data(), static_cast<unsigned long long>(n), 1, stream);
  cuda::for_each(stream, n, FindNonFinite<T>{points.coordinates, first.data()});
  return static_cast<std::int64_t>(cuda::read_back(first.data(), stream));
}

template <class T>
Magnitudes magnitudes_of(const PointsView<T>& points, const cuda::Stream& stream) {
  constexpr std::int64_t most_threads = 1 << 16;
  const std::int64_t n = points.n_points * points.dimension;
  const std::int64_t n_threads = std::min(n, most_threads);
  const Magnitudes none;
  const std::array<unsigned long long, 2> start{std::bit_cast<unsigned long long>(none.least),
                                                std::bit_cast<unsigned long long>(none.largest)};
  const auto range = cuda::to_device(std::span<const unsigned long long>(start), stream);
  cuda::for_each(stream, n_threads,
                 FindMagnitudes<T>{points.coordinates, n, n_threads, range.data()});
  std::array<unsigned long long, 2> found{};
  cuda::copy(found.data(), range.data(), found.size(), stream);
  stream.synchronize();
  return {std::bit_cast<double>(found[0]), std::bit_cast<double>(found[1])};
}

template <class T>
void gather_rows(const PointsView<T>& points, std::span<const std::int64_t> rows,
                 std::span<T> gathered, const cuda::Stream& stream) {
  const auto device_rows = cuda::to_device(rows, stream);
  const cuda::DeviceBuffer<T> device_gathered(gathered.size(), stream);
  cuda::for_each(stream, std::ssize(gathered),
                 GatherCoordinate<T>{points, device_rows.data(), device_gathered.data()});
  cuda::copy(gathered.data(), device_gathered.data(), gathered.size(), stream);
  stream.synchronize();
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(first_non_finite)
template Magnitudes magnitudes_of(const PointsView<float>&, const cuda::Stream&);
template Magnitudes magnitudes_of(const PointsView<double>&, const cuda::Stream&);
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(gather_rows)

}  // namespace warpgraph
