// A graph in the memory of a CUDA device. Plain C++: bindings include it without a CUDA compiler.
#pragma once

#include "core/cuda/copies/upload.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "graph/checks/checks.hpp"
#include "graph/csr.hpp"

namespace warpgraph {

/// The structure of a graph on a device, shared by weights of every type.
class DevicePattern {
 public:
  /// Copies `host` to the stream's device. The stream must outlive this. Asynchronous.
  DevicePattern(const CsrPattern& host, const cuda::Stream& stream) {
    cuda::Upload upload;
    *this = DevicePattern(host, stream, upload);
    upload.finish();
  }
  /// Adds the copy to an upload, which the caller finishes. Heads are checked on their way unless
  /// `check` is null; if there is none, they may lie on another device. Unless `wide_heads` is
  /// null, it has the heads, which are checked and narrowed on their way.
  DevicePattern(const CsrPattern& host, const cuda::Stream& stream, cuda::Upload& upload,
                HeadsCheck* check = nullptr, const std::int64_t* wide_heads = nullptr)
      : view_{host.n_vertices, host.n_arcs, {}, nullptr},
        heads_(static_cast<std::size_t>(host.n_arcs), stream) {
    const auto n_offsets = static_cast<std::size_t>(host.n_vertices) + 1;
    if (host.offsets.is_wide()) {
      wide_ = cuda::DeviceBuffer<std::int64_t>(n_offsets, stream);
      upload.copy(wide_.data(), host.offsets.wide(), n_offsets, stream);
      view_.offsets = Offsets(wide_.data());
    } else {
      narrow_ = cuda::DeviceBuffer<std::int32_t>(n_offsets, stream);
      upload.copy(narrow_.data(), host.offsets.narrow(), n_offsets, stream);
      view_.offsets = Offsets(narrow_.data());
    }
    view_.heads = heads_.data();
    if (wide_heads != nullptr) {
      upload.copy_as(
          heads_.data(), wide_heads, heads_.size(), stream,
          [check](std::span<const std::int64_t> heads, vertex_t* to) { check->narrow(heads, to); });
    } else if (check == nullptr) {
      upload.copy(heads_.data(), host.heads, heads_.size(), stream);
    } else {
      upload.copy(heads_.data(), host.heads, heads_.size(), stream,
                  [check](std::span<const vertex_t> heads) { check->look_at(heads); });
    }
  }

  /// Refers to arrays on a device, which must outlive this.
  explicit DevicePattern(const CsrPattern& on_device) : view_(on_device) {}

  [[nodiscard]] CsrPattern view() const noexcept { return view_; }
  /// Returns the bytes of the arrays.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_of(view_); }
  [[nodiscard]] static std::size_t bytes_of(const CsrPattern& pattern) noexcept {
    const std::size_t offset_bytes = pattern.offsets.is_wide() ? 8 : 4;
    return (static_cast<std::size_t>(pattern.n_vertices) + 1) * offset_bytes +
           static_cast<std::size_t>(pattern.n_arcs) * sizeof(vertex_t);
  }

 private:
  CsrPattern view_;
  cuda::DeviceBuffer<std::int32_t> narrow_;
  cuda::DeviceBuffer<std::int64_t> wide_;
  cuda::DeviceBuffer<vertex_t> heads_;
};

/// Returns the view of a structure with weights.
template <class W>
CsrView<W> with_weights(const CsrPattern& pattern, const W* weights) {
  CsrView<W> view;
  static_cast<CsrPattern&>(view) = pattern;
  view.weights = weights;
  return view;
}

/// A graph with weights of any type, for code that only moves them or passes them on.
struct AnyCsrView : CsrPattern {
  const void* weights = nullptr;
  std::size_t weight_bytes = 0;  // bytes of a weight

  AnyCsrView() = default;
  template <class W>
  explicit AnyCsrView(const CsrView<W>& graph)
      : CsrPattern(graph),
        weights(graph.weights),
        weight_bytes(graph.weights == nullptr ? 0 : sizeof(W)) {}

  /// Returns another structure with weights of this type.
  [[nodiscard]] AnyCsrView with(const CsrPattern& pattern, const void* its_weights) const {
    AnyCsrView view = *this;
    static_cast<CsrPattern&>(view) = pattern;
    view.weights = its_weights;
    return view;
  }
  /// Returns the bytes of the weights of the arcs before `arc`.
  [[nodiscard]] std::size_t bytes_before(edge_t arc) const {
    return static_cast<std::size_t>(arc) * weight_bytes;
  }
  [[nodiscard]] std::span<const std::byte> bytes_of_weights() const {
    return {static_cast<const std::byte*>(weights), bytes_before(n_arcs)};
  }
};

/// A graph with its weights, which must not be nullptr.
template <class W>
class DeviceCsr {
 public:
  /// Copies `host` to the stream's device. The stream must outlive this. Asynchronous.
  DeviceCsr(const CsrView<W>& host, const cuda::Stream& stream)
      : pattern_(host, stream),
        weights_(cuda::to_device(host.weights, static_cast<std::size_t>(host.n_arcs), stream)) {}

  [[nodiscard]] CsrView<W> view() const noexcept {
    return with_weights(pattern_.view(), static_cast<const W*>(weights_.data()));
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return pattern_.bytes() + weights_.bytes(); }

 private:
  DevicePattern pattern_;
  cuda::DeviceBuffer<W> weights_;
};

}  // namespace warpgraph
