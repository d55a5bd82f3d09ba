// The copy of a graph, or of a part of it, on a CUDA device that is kept between calls: its
// structure, its weights of the types that were asked for, and what algorithms derive from them.
// Plain C++, as device_csr.hpp.
#pragma once

#include "core/cuda/memory/derived_cache.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/device_csr.hpp"

#include <tuple>

namespace warpgraph {

class DeviceGraph {
 public:
  /// Copies the structure. Throws OutOfMemory.
  DeviceGraph(const CsrPattern& host, Device device)
      : stream_(checked(device, bytes_of(host)), cuda::Lifetime::kept),
        pattern_(host, *stream_),
        derived_(*stream_) {
    (*stream_).synchronize();
  }
  /// Bytes of the structure on a device.
  [[nodiscard]] static std::size_t bytes_of(const CsrPattern& host) {
    const std::size_t offset_bytes = host.offsets.is_wide() ? 8 : 4;
    return (static_cast<std::size_t>(host.n_vertices) + 1) * offset_bytes +
           static_cast<std::size_t>(host.n_arcs) * sizeof(vertex_t);
  }

  [[nodiscard]] CsrPattern pattern() const noexcept { return pattern_.view(); }
  template <class W>
  [[nodiscard]] bool has_weights() const noexcept {
    return std::get<cuda::DeviceBuffer<W>>(weights_).size() ==
           static_cast<std::size_t>(pattern_.view().n_arcs);
  }
  /// Copies the weights of the same graph on the host, unless has_weights(). Throws OutOfMemory.
  template <class W>
  [[nodiscard]] CsrView<W> with_weights_of(const CsrView<W>& host) {
    auto& weights = std::get<cuda::DeviceBuffer<W>>(weights_);
    if (!has_weights<W>()) {
      const auto n_arcs = static_cast<std::size_t>(host.n_arcs);
      MemoryBudget((*stream_).device())
          .require("copying the weights", n_arcs * sizeof(W), memory_advice);
      weights = cuda::to_device(std::span(host.weights, n_arcs), *stream_);
      (*stream_).synchronize();
    }
    return with_weights(pattern(), static_cast<const W*>(weights.data()));
  }
  [[nodiscard]] cuda::DerivedCache& derived() noexcept { return derived_; }

  [[nodiscard]] std::size_t bytes() const {
    return pattern_.bytes() + derived_.bytes() +
           std::apply([](const auto&... buffer) { return (buffer.bytes() + ...); }, weights_);
  }

 private:
  static constexpr const char* memory_advice =
      "use device=\"cpu\", or clear() graphs that are no longer needed";

  static Device checked(Device device, std::size_t bytes) {
    MemoryBudget(device).require("copying the graph", bytes, memory_advice);
    return device;
  }

  cuda::BorrowedStream stream_;
  DevicePattern pattern_;
  std::tuple<cuda::DeviceBuffer<float>, cuda::DeviceBuffer<double>,
             cuda::DeviceBuffer<std::int32_t>, cuda::DeviceBuffer<std::int64_t>>
      weights_;
  cuda::DerivedCache derived_;
};

}  // namespace warpgraph
