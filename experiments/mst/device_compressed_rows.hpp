// Prepared rows on a device, whose heads are compressed.
#pragma once

#include "algorithms/mst/sorted_rows/device_boruvka.hpp"
#include "core/memory/memory_budget.hpp"
#include "experiments/mst/device_compress.hpp"

namespace warpgraph::experiments {

class DeviceCompressedRows : public mst::DevicePreparedRows {
 public:
  /// Prepares the rows as prepare_rows does, and compresses heads on CPU threads. The stream must
  /// outlive this.
  template <class W>
  DeviceCompressedRows(const CsrView<W>& graph, bool maximum, MemoryBudget budget,
                       const cuda::Stream& stream)
      : DevicePreparedRows(graph, maximum, budget, stream) {
    const auto offsets =
        cuda::to_host<HostVector<edge_t>>(offsets_.data(), offsets_.size(), stream);
    const auto heads = cuda::to_host<HostVector<vertex_t>>(heads_.data(), heads_.size(), stream);
    const CompressedAdjacency codes = compress(
        {n_vertices_, static_cast<edge_t>(heads.size()), Offsets(offsets.data()), heads.data()});
    codes_ = to_device(codes, stream);
    heads_ = cuda::DeviceBuffer<vertex_t>();
    stream.synchronize();  // before the host arrays are freed
  }

  [[nodiscard]] CompressedView heads() const noexcept { return codes_.view(view()); }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return DevicePreparedRows::bytes() + codes_.bytes();
  }

 private:
  DeviceCompressed codes_;
};

}  // namespace warpgraph::experiments
