// The rows of a part as a graph of all vertices, in which the rows of others are empty: so a search
// by several devices runs the kernels of a search by one.
#pragma once

#include "core/cuda/for_each.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "graph/partition/device_partition.hpp"
#include "primitives/relaxation/device_overflow.cuh"
#include "runtime/bulk_synchronous/device_team.hpp"

#include <memory>

namespace warpgraph::shortest_paths {

struct SpreadOffset {
  CsrPattern rows;
  vertex_t first;
  edge_t* offsets;
  __device__ void operator()(std::int64_t v) const {
    const std::int64_t row = v - first;
    offsets[v] = row <= 0 ? 0 : rows.offsets[row < rows.n_vertices ? row : rows.n_vertices];
  }
};

/// The offsets of the rows of a part, `first` and the following, among those of all vertices.
class SpreadOffsets {
 public:
  SpreadOffsets(const CsrPattern& rows, vertex_t first, vertex_t n_vertices,
                const cuda::Stream& stream)
      : offsets_(static_cast<std::size_t>(n_vertices) + 1, stream) {
    cuda::for_each(stream, std::int64_t{n_vertices} + 1,
                   SpreadOffset{rows, first, offsets_.data()});
  }
  [[nodiscard]] const edge_t* data() const { return offsets_.data(); }
  [[nodiscard]] std::size_t bytes() const { return offsets_.bytes(); }
  [[nodiscard]] static std::size_t bytes_needed(vertex_t n_vertices) {
    return (static_cast<std::size_t>(n_vertices) + 1) * sizeof(edge_t);
  }

 private:
  cuda::DeviceBuffer<edge_t> offsets_;
};

/// Returns what is derived once from the rows of a part, a T(rows, first vertex, n_vertices,
/// stream).
template <class T>
std::shared_ptr<const T> derived_from_part(DevicePartition& partition, int part,
                                           const CsrPattern& rows, vertex_t n_vertices) {
  return partition.derived(part).get<T>(0, [&](const cuda::Stream& stream) {
    return T(rows, partition.parts().begin(part), n_vertices, stream);
  });
}

template <class W>
class PartRows {
 public:
  PartRows(DevicePartition& partition, int part, const CsrView<W>& graph)
      : rows_(partition.rows(part, graph)),
        offsets_(derived_from_part<SpreadOffsets>(partition, part, rows_, graph.n_vertices)) {
    rows_.n_vertices = graph.n_vertices;
    rows_.offsets = Offsets(offsets_->data());
  }
  [[nodiscard]] const CsrView<W>& among_all() const { return rows_; }

 private:
  CsrView<W> rows_;
  std::shared_ptr<const SpreadOffsets> offsets_;
};

/// Copies the distances of each member's own vertices to the host; distances_of(member) has those
/// of all vertices. Returns whether no sum of a distance and a weight can have overflowed. Waits.
template <class W, class DistancesOf>
bool copy_distances(runtime::DeviceTeam& team, DevicePartition& partition, const CsrView<W>& graph,
                    const DistancesOf& distances_of, W* distances) {
  runtime::collect(team, runtime::ranges_of(partition.parts()), distances_of, distances);
  team.end_step("copy to the host");
  for (int i = 0; i < team.size(); ++i) {
    if (!fit_with_weights_on(team.stream(i), partition.rows(i, graph), &partition.derived(i),
                             distances_of(i) + partition.parts().begin(i))) {
      return false;
    }
  }
  return true;
}

}  // namespace warpgraph::shortest_paths
