#include "core/cuda/copies/upload.hpp"
#include "core/cuda/for_each.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "graph/points/device_points.hpp"

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
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(gather_rows)

}  // namespace warpgraph
