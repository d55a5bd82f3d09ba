// Target selection on a CUDA device: see TargetSelection in sweep.hpp.
#pragma once

#include "algorithms/hierarchy/sweep/sweep.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/memory/buffer.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace warpgraph::hierarchy_detail {

/// The positions that the downward pass of a query with targets visits.
struct DeviceTargetSelection {
  cuda::DeviceBuffer<vertex_t> positions;
  cuda::DeviceBuffer<vertex_t> starts;
  cuda::DeviceBuffer<vertex_t> targets;

  template <class T>
  DeviceTargetSelection(const Hierarchy<T>& host, std::span<const vertex_t> query_targets,
                        const cuda::Stream& stream)
      : targets(cuda::to_device(query_targets, stream)) {
    const std::vector<vertex_t> selected = select_positions(host, query_targets);
    std::vector<vertex_t> level_starts;
    for (const vertex_t start : host.level_starts) {
      level_starts.push_back(static_cast<vertex_t>(
          std::lower_bound(selected.begin(), selected.end(), start) - selected.begin()));
    }
    positions = cuda::to_device(std::span<const vertex_t>(selected), stream);
    starts = cuda::to_device(std::span<const vertex_t>(level_starts), stream);
    stream.synchronize();  // before the vectors are destroyed
  }
};

}  // namespace warpgraph::hierarchy_detail
