// Searches for points on a device, whose input and results may be in host memory.
#pragma once

#include "algorithms/knn/knn.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/points/device_points.hpp"

#include <optional>
#include <string_view>

namespace warpgraph::knn {

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

/// Bytes of a method besides points and results, and the advice to users if there is less memory.
struct MethodNeeds {
  std::size_t bytes;
  std::string_view advice;
};

/// Points on the device of a stream: the caller's, or a copy.
template <class T>
class PointsThere {
 public:
  PointsThere(PointsView<T> points, const cuda::Stream& stream)
      : copy_(is_there(points, stream)
                  ? cuda::DeviceBuffer<T>()
                  : cuda::to_device(std::span<const T>(points.coordinates, size(points)), stream)),
        view_{copy_.data() == nullptr ? points.coordinates : copy_.data(), points.n_points,
              static_cast<int>(points.dimension)} {}

  static std::size_t bytes(PointsView<T> points, const cuda::Stream& stream) {
    return is_there(points, stream) ? 0 : size(points) * sizeof(T);
  }
  [[nodiscard]] const DevicePoints<T>& view() const noexcept { return view_; }

 private:
  static std::size_t size(PointsView<T> points) {
    return static_cast<std::size_t>(points.n_points) * static_cast<std::size_t>(points.dimension);
  }
  static bool is_there(PointsView<T> points, const cuda::Stream& stream) {
    return device_holding(points.coordinates) == stream.device();
  }

  cuda::DeviceBuffer<T> copy_;
  DevicePoints<T> view_;
};

/// Calls search(points, queries, out) with points and results in device memory, and copies the
/// results. Queries that are the same array as the points are copied once.
template <class T, class Search>
void search_queries(PointsView<T> points, PointsView<T> queries, const KnnOptions& options,
                    const NeighboursView& out, const MethodNeeds& needs, MemoryBudget budget,
                    const cuda::Stream& stream, Search&& search) {
  const auto n = static_cast<std::size_t>(queries.n_points);
  const std::size_t n_entries = n * static_cast<std::size_t>(options.n_neighbors);
  const bool are_same =
      queries.coordinates == points.coordinates && queries.n_points == points.n_points;
  budget.require(concat("finding the neighbours of ", n, " points"),
                 PointsThere<T>::bytes(points, stream) +
                     (are_same ? 0 : PointsThere<T>::bytes(queries, stream)) + needs.bytes +
                     DeviceResult<vertex_t>::bytes(out.neighbours, n_entries, stream) +
                     DeviceResult<double>::bytes(out.distances, n_entries, stream) +
                     DeviceResult<double>::bytes(out.farthest, n, stream),
                 needs.advice);
  const PointsThere<T> there(points, stream);
  const std::optional<PointsThere<T>> others =
      are_same ? std::nullopt : std::optional<PointsThere<T>>(std::in_place, queries, stream);
  const DeviceResult<vertex_t> neighbours(out.neighbours, n_entries, stream);
  const DeviceResult<double> distances(out.distances, n_entries, stream);
  const DeviceResult<double> farthest(out.farthest, n, stream);
  const cuda::MapWhileWaiting neighbour_pages(neighbours.copied());
  const cuda::MapWhileWaiting distance_pages(distances.copied());
  search(there.view(), are_same ? there.view() : others->view(),
         NeighboursView{neighbours.data(), distances.data(), farthest.data()});
  cuda::CopyOut copies;
  neighbours.copy_to(copies, stream);
  distances.copy_to(copies, stream);
  farthest.copy_to(copies, stream);
  copies.finish();
  stream.synchronize();
  report_progress(queries.n_points, queries.n_points);
}

/// Calls search(points, out) likewise, for the neighbours of the points themselves.
template <class T, class Search>
void search_all_points(PointsView<T> points, const KnnOptions& options, const NeighboursView& out,
                       const MethodNeeds& needs, MemoryBudget budget, const cuda::Stream& stream,
                       Search&& search) {
  search_queries(points, points, options, out, needs, budget, stream,
                 [&](const DevicePoints<T>& there, const DevicePoints<T>&,
                     const NeighboursView& results) { search(there, results); });
}

}  // namespace warpgraph::knn
