// Compressed adjacency on a CUDA device.
#pragma once

#include "core/cuda/copies/upload.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "graph/transform/compress.hpp"

namespace warpgraph::experiments {

using DeviceCompressed = CompressedArrays<cuda::DeviceBuffer>;

/// Copies a compressed graph to the stream's device. The stream must outlive the copy.
/// Asynchronous.
inline DeviceCompressed to_device(const CompressedAdjacency& host, const cuda::Stream& stream) {
  const auto copied = [&]<class T>(const HostVector<T>& items) {
    return cuda::to_device(std::span<const T>(items), stream);
  };
  return {host.block_bits,     host.upper_bytes,       copied(host.bases),      copied(host.low),
          copied(host.blocks), copied(host.irregular), copied(host.exceptions), copied(host.upper)};
}

}  // namespace warpgraph::experiments
