#include "algorithms/knn/device_search.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/interrupt.hpp"

namespace warpgraph {
namespace {

/// A result of n items: in the caller's array if that is on the device, else in a buffer here.
template <class Item>
class DeviceResult {
 public:
  DeviceResult(Item* wanted, std::size_t n, const cuda::Stream& stream)
      : wanted_(wanted), n_(n), resident_(device_holding(wanted) == stream.device()) {
    if (wanted != nullptr && !resident_) buffer_ = cuda::DeviceBuffer<Item>(n, stream);
  }
  static std::size_t bytes(const Item* wanted, std::size_t n, const cuda::Stream& stream) {
    const bool stays = wanted == nullptr || device_holding(wanted) == stream.device();
    return stays ? 0 : n * sizeof(Item);
  }
  /// Returns the caller's array if it is copied there.
  [[nodiscard]] std::span<Item> copied() const {
    return {wanted_, buffer_.data() == nullptr ? 0 : n_};
  }
  /// Returns the place where kernels write; null if the result is not wanted.
  [[nodiscard]] Item* data() const noexcept { return resident_ ? wanted_ : buffer_.data(); }
  void copy_to(cuda::CopyOut& out, const cuda::Stream& stream) const {
    if (buffer_.data() != nullptr) out.copy(wanted_, buffer_.data(), n_, stream);
  }

 private:
  Item* wanted_;
  std::size_t n_;
  bool resident_;
  cuda::DeviceBuffer<Item> buffer_;
};

template <class T>
std::size_t bytes_of_method(std::size_t n, std::size_t dimension, int length) {
  return dimension <= max_fixed_dimension ? knn::boxes_bytes<T>(n, dimension, length)
                                          : knn::tiles_bytes<T>(n, dimension, length);
}

}  // namespace

template <class T>
void knn_cuda(PointsView<T> points, const KnnOptions& options, const NeighboursView& out,
              const MemoryBudget& budget, const cuda::Stream& stream) {
  const auto n = static_cast<std::size_t>(points.n_points);
  const auto dimension = static_cast<std::size_t>(points.dimension);
  const std::size_t n_entries = n * static_cast<std::size_t>(options.n_neighbors);
  const bool resident = device_holding(points.coordinates) == stream.device();
  const int length = options.n_neighbors - (options.include_self ? 1 : 0);
  budget.require(concat("finding the neighbours of ", n, " points"),
                 (resident ? 0 : n * dimension * sizeof(T)) +
                     bytes_of_method<T>(n, dimension, length) +
                     DeviceResult<vertex_t>::bytes(out.neighbours, n_entries, stream) +
                     DeviceResult<double>::bytes(out.distances, n_entries, stream) +
                     DeviceResult<double>::bytes(out.farthest, n, stream),
                 "pass fewer points, or float32 instead of float64");
  const std::span<const T> given(points.coordinates, n * dimension);
  const auto copy = resident ? cuda::DeviceBuffer<T>() : cuda::to_device(given, stream);
  const DevicePoints<T> device_points{resident ? given.data() : copy.data(), points.n_points,
                                      static_cast<int>(points.dimension)};
  const DeviceResult<vertex_t> neighbours(out.neighbours, n_entries, stream);
  const DeviceResult<double> distances(out.distances, n_entries, stream);
  const DeviceResult<double> farthest(out.farthest, n, stream);
  const cuda::MapWhileWaiting neighbour_pages(neighbours.copied());
  const cuda::MapWhileWaiting distance_pages(distances.copied());
  const NeighboursView there{neighbours.data(), distances.data(), farthest.data()};
  (dimension <= max_fixed_dimension ? knn::search_boxes<T>
                                    : knn::search_tiles<T>)(device_points, options, there, stream);
  cuda::CopyOut copies;
  neighbours.copy_to(copies, stream);
  distances.copy_to(copies, stream);
  farthest.copy_to(copies, stream);
  copies.finish();
  stream.synchronize();
  report_progress(points.n_points, points.n_points);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(knn_cuda)

}  // namespace warpgraph
