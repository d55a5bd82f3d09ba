// A hierarchy in the memory of a CUDA device. Plain C++: bindings include it without a CUDA
// compiler.
#pragma once

#include "algorithms/hierarchy/hierarchy.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/device_csr.hpp"

namespace warpgraph {

/// The arrays of a search graph, whose offsets are always wide.
template <class T>
struct DeviceSearchGraphView {
  const edge_t* offsets = nullptr;
  const vertex_t* heads = nullptr;
  const T* weights = nullptr;
};

template <class T>
struct DeviceHierarchyView {
  vertex_t n_vertices = 0;
  vertex_t n_core = 0;
  std::int32_t n_levels = 0;
  const vertex_t* position_of = nullptr;
  const vertex_t* level_starts = nullptr;
  DeviceSearchGraphView<T> down;
  DeviceSearchGraphView<T> up;
};

template <class T>
class DeviceHierarchy {
 public:
  /// Copies `host` to the stream's device, and does not wait. The stream must outlive this.
  DeviceHierarchy(const Hierarchy<T>& host, const cuda::Stream& stream)
      : n_vertices_(host.n_vertices),
        n_core_(host.n_core),
        position_of_(cuda::to_device(std::span<const vertex_t>(host.position_of), stream)),
        level_starts_(cuda::to_device(std::span<const vertex_t>(host.level_starts), stream)),
        down_(host.down.view(), stream),
        up_(host.up.view(), stream),
        symmetric_(host.symmetric) {}

  [[nodiscard]] DeviceHierarchyView<T> view() const noexcept {
    return {n_vertices_,
            n_core_,
            static_cast<std::int32_t>(level_starts_.size()) - 1,
            position_of_.data(),
            level_starts_.data(),
            arrays_of(down_),
            arrays_of(symmetric_ ? down_ : up_)};
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return position_of_.bytes() + level_starts_.bytes() + down_.bytes() + up_.bytes();
  }

 private:
  static DeviceSearchGraphView<T> arrays_of(const DeviceCsr<T>& graph) noexcept {
    const CsrView<T> view = graph.view();
    return {view.offsets.wide(), view.heads, view.weights};
  }

  vertex_t n_vertices_;
  vertex_t n_core_;
  cuda::DeviceBuffer<vertex_t> position_of_;
  cuda::DeviceBuffer<vertex_t> level_starts_;
  DeviceCsr<T> down_;
  DeviceCsr<T> up_;
  bool symmetric_;
};

}  // namespace warpgraph
