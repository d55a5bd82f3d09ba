// Points of float or double as Python passes them: row by row, in host or device memory.
#pragma once

#include "bindings/device.hpp"
#include "bindings/items.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/points/points.hpp"

namespace warpgraph {

template <class T>
struct Points {
  Items<const T> items;
  vertex_t n;
  std::int64_t dimension;

  /// Reads an array, which must lie on `device` if it is on a device.
  Points(const py::object& array, Device device) : items(readable_items<T>(array, device)) {
    const RowMatrix<void> layout = layout_of(array);
    n = static_cast<vertex_t>(layout.n);
    dimension = layout.n_columns;
  }
  [[nodiscard]] PointsView<T> view() const { return {items.span.data(), n, dimension}; }
};

/// Calls on_cpu(view), or on_cuda(view in the memory of the device, stream).
template <class T, class OnCpu, class OnCuda>
auto run_on(Device device, const Points<T>& points, OnCpu&& on_cpu, OnCuda&& on_cuda) {
  return run_on(
      device, [&] { return on_cpu(points.view()); },
      [&](const auto& stream) {
        if (!points.items.on_device) {
          MemoryBudget(device).require(
              "a copy of the points", points.items.span.size_bytes(),
              "pass fewer points, float32 instead of float64, or device='cpu'");
        }
        const auto device_points = device_input(points.items, stream);
        return on_cuda(PointsView<T>{device_points.span().data(), points.n, points.dimension},
                       stream);
      });
}

}  // namespace warpgraph
