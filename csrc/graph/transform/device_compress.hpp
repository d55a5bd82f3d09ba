// Compressed adjacency on a CUDA device.
#pragma once

#include "core/cuda/memory/buffer.hpp"
#include "graph/transform/compress.hpp"

namespace warpgraph {

class DeviceCompressed {
 public:
  DeviceCompressed() = default;
  /// Copies `host` to the stream's device. The stream must outlive this object. Does not wait.
  DeviceCompressed(const CompressedAdjacency& host, const cuda::Stream& stream)
      : block_bits_(host.block_bits),
        upper_bytes_(host.upper_bytes),
        bases_(copied(host.bases, stream)),
        low_(copied(host.low, stream)),
        blocks_(copied(host.blocks, stream)),
        irregular_(copied(host.irregular, stream)),
        exceptions_(copied(host.exceptions, stream)),
        upper_(copied(host.upper, stream)) {}

  /// `graph` is in device memory, and its offsets are those of the compressed graph. Its heads are
  /// not read.
  [[nodiscard]] CompressedView view(const CsrPattern& graph) const noexcept {
    return {graph.n_vertices,  graph.n_arcs,       graph.offsets, block_bits_,
            upper_bytes_,      bases_.data(),      low_.data(),   blocks_.data(),
            irregular_.data(), exceptions_.data(), upper_.data()};
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return bases_.bytes() + low_.bytes() + blocks_.bytes() + irregular_.bytes() +
           exceptions_.bytes() + upper_.bytes();
  }

 private:
  template <class T>
  static cuda::DeviceBuffer<T> copied(const HostVector<T>& items, const cuda::Stream& stream) {
    return cuda::to_device(std::span<const T>(items), stream);
  }

  int block_bits_ = 0;
  int upper_bytes_ = 0;
  cuda::DeviceBuffer<vertex_t> bases_;
  cuda::DeviceBuffer<std::uint8_t> low_;
  cuda::DeviceBuffer<std::uint8_t> blocks_;
  cuda::DeviceBuffer<IrregularRow> irregular_;
  cuda::DeviceBuffer<vertex_t> exceptions_;
  cuda::DeviceBuffer<std::uint8_t> upper_;
};

}  // namespace warpgraph
