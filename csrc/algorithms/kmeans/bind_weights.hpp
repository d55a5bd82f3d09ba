// Points with weights as Python passes them: in host or device memory.
#pragma once

#include "algorithms/kmeans/kmeans.hpp"
#include "bindings/graph/points.hpp"

namespace warpgraph {

/// `weights` is an array of double in host memory, one for each point, or None: all are 1.
class Weights {
 public:
  explicit Weights(const py::object& weights) {
    if (!weights.is_none()) span_ = readable<double>(py::reinterpret_borrow<py::array>(weights));
  }
  /// Returns the weights; null if there are none.
  [[nodiscard]] const double* data() const noexcept { return span_.data(); }
  [[nodiscard]] std::span<const double> span() const noexcept { return span_; }

 private:
  std::span<const double> span_;
};

/// Calls on_cpu(points), or on_cuda(points in the memory of the device, stream); WeightedPoints.
template <class T, class OnCpu, class OnCuda>
auto run_on(Device device, const Points<T>& points, const Weights& weights, OnCpu&& on_cpu,
            OnCuda&& on_cuda) {
  return run_on(
      device, points,
      [&](const PointsView<T>& view) { return on_cpu(WeightedPoints<T>(view, weights.data())); },
      [&](const PointsView<T>& view, const auto& stream) {
        if (weights.data() == nullptr) return on_cuda(WeightedPoints<T>(view), stream);
        const auto there = device_input(Items<const double>{weights.span()}, stream);
        return on_cuda(WeightedPoints<T>(view, there.span().data()), stream);
      });
}

}  // namespace warpgraph
