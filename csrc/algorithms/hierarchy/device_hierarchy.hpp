// A hierarchy in the memory of a CUDA device. Plain C++: bindings include it without a CUDA
// compiler.
#pragma once

#include "algorithms/hierarchy/hierarchy.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/memory/memory_budget.hpp"

namespace warpgraph {

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
  /// Copies `host` to the stream's device. The stream must outlive this. Does not wait.
  DeviceHierarchy(const Hierarchy<T>& host, const cuda::Stream& stream)
      : n_vertices_(host.n_vertices),
        n_core_(host.n_core),
        position_of_(cuda::to_device(std::span<const vertex_t>(host.position_of), stream)),
        level_starts_(cuda::to_device(std::span<const vertex_t>(host.level_starts), stream)),
        down_(host.down, stream),
        up_(host.up, stream),
        symmetric_(host.symmetric) {}

  [[nodiscard]] DeviceHierarchyView<T> view() const noexcept {
    return {n_vertices_,
            n_core_,
            static_cast<std::int32_t>(level_starts_.size()) - 1,
            position_of_.data(),
            level_starts_.data(),
            down_.view(),
            symmetric_ ? down_.view() : up_.view()};
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return position_of_.bytes() + level_starts_.bytes() + down_.bytes() + up_.bytes();
  }

 private:
  struct DeviceSearchGraph {
    DeviceSearchGraph(const SearchGraph<T>& host, const cuda::Stream& stream)
        : offsets(cuda::to_device(std::span<const edge_t>(host.offsets), stream)),
          heads(cuda::to_device(std::span<const vertex_t>(host.heads), stream)),
          weights(cuda::to_device(std::span<const T>(host.weights), stream)) {}
    [[nodiscard]] DeviceSearchGraphView<T> view() const noexcept {
      return {offsets.data(), heads.data(), weights.data()};
    }
    [[nodiscard]] std::size_t bytes() const noexcept {
      return offsets.bytes() + heads.bytes() + weights.bytes();
    }
    cuda::DeviceBuffer<edge_t> offsets;
    cuda::DeviceBuffer<vertex_t> heads;
    cuda::DeviceBuffer<T> weights;
  };

  vertex_t n_vertices_;
  vertex_t n_core_;
  cuda::DeviceBuffer<vertex_t> position_of_;
  cuda::DeviceBuffer<vertex_t> level_starts_;
  DeviceSearchGraph down_;
  DeviceSearchGraph up_;
  bool symmetric_;
};

}  // namespace warpgraph
