// Prepared rows, partly on a device and partly in page-locked host memory. Private to this folder.
//
// Each row is cut in two: its lightest arcs are on the device, and heavy ones are read only where
// the light ones of a row all lie within its tree, and the tree's choice so far is not lighter than
// what is left.
#pragma once

#include "algorithms/mst/sorted_rows/prepared_rows.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "graph/device_csr.hpp"

namespace warpgraph::mst {

/// The place where each row is cut: of d arcs the first ceil(d * part / whole) are on the device.
struct RowCut {
  static constexpr edge_t whole = 1024;
  edge_t part;

  [[nodiscard]] edge_t n_light(const CsrPattern& rows, std::int64_t u) const noexcept {
    return ((rows.offsets[u + 1] - rows.offsets[u]) * part + whole - 1) / whole;
  }
  [[nodiscard]] edge_t n_light(const CsrPattern& rows) const {
    return parallel_reduce(
        rows.n_vertices, edge_t{0}, [&](std::int64_t u) { return n_light(rows, u); },
        std::plus<>{});
  }
  /// Returns the largest cut with at most n_arcs light arcs.
  static RowCut with_at_most(edge_t n_arcs, const CsrPattern& rows) {
    RowCut low{0};
    for (edge_t high = whole; low.part < high;) {
      const RowCut middle{low.part + (high - low.part + 1) / 2};
      if (middle.n_light(rows) <= n_arcs) {
        low = middle;
      } else {
        high = middle.part - 1;
      }
    }
    return low;
  }
};

/// The arcs of all rows on one side of the cut, on the host.
template <template <class> class Array>
struct RowPart {
  HostVector<edge_t> offsets;
  Array<vertex_t> heads;
  Array<rank_t> ranks;

  [[nodiscard]] RowsView view() const noexcept {
    const CsrPattern rows{static_cast<vertex_t>(offsets.size() - 1), offsets.back(),
                          Offsets(offsets.data()), heads.data()};
    return {rows, ranks.data()};
  }
};

/// Returns the arcs of each row before its cut if `light`, else from it on.
template <template <class> class Array>
RowPart<Array> extract_part(const RowsView& rows, const RowCut& cut, bool light) {
  const auto n = static_cast<std::size_t>(rows.n_vertices);
  RowPart<Array> part;
  part.offsets.resize(n + 1);
  parallel_for(rows.n_vertices, [&](std::int64_t u) {
    const edge_t n_light = cut.n_light(rows, u);
    part.offsets[static_cast<std::size_t>(u)] =
        light ? n_light : rows.offsets[u + 1] - rows.offsets[u] - n_light;
  });
  part.offsets[n] = 0;
  const edge_t n_arcs =
      exclusive_scan_in_place(part.offsets.data(), std::int64_t{rows.n_vertices} + 1);
  MemoryBudget().require("cutting the rows of the graph in two",
                         static_cast<std::size_t>(n_arcs) * (sizeof(vertex_t) + sizeof(rank_t)),
                         "use device=\"cpu\"");
  part.heads = Array<vertex_t>(static_cast<std::size_t>(n_arcs));
  part.ranks = Array<rank_t>(static_cast<std::size_t>(n_arcs));
  parallel_for(rows.n_vertices, [&](std::int64_t u) {
    const edge_t first = part.offsets[static_cast<std::size_t>(u)];
    const edge_t count = part.offsets[static_cast<std::size_t>(u) + 1] - first;
    const edge_t from = rows.offsets[u] + (light ? 0 : cut.n_light(rows, u));
    std::copy_n(rows.heads + from, count, part.heads.data() + first);
    std::copy_n(rows.ranks + from, count, part.ranks.data() + first);
  });
  return part;
}

inline constexpr std::size_t bytes_per_arc = sizeof(vertex_t) + sizeof(rank_t);

/// Rows in the memory of a device.
class DeviceRows {
 public:
  /// Copies `host`, which may be freed after the stream was synchronised.
  DeviceRows(const RowsView& host, const cuda::Stream& stream)
      : pattern_(host, stream),
        ranks_(cuda::to_device(host.ranks, static_cast<std::size_t>(host.n_arcs), stream)) {}

  [[nodiscard]] edge_t n_arcs() const noexcept { return static_cast<edge_t>(ranks_.size()); }
  [[nodiscard]] RowsView view() const noexcept { return {pattern_.view(), ranks_.data()}; }
  [[nodiscard]] std::size_t bytes() const noexcept { return pattern_.bytes() + ranks_.bytes(); }

 private:
  DevicePattern pattern_;
  cuda::DeviceBuffer<rank_t> ranks_;
};

class PartitionedRows {
 public:
  /// Cuts the rows so that no more than `n_arcs` arcs become resident.
  PartitionedRows(const RowsView& rows, edge_t n_arcs, const cuda::Stream& stream)
      : PartitionedRows(rows, RowCut::with_at_most(n_arcs, rows), stream) {}

  [[nodiscard]] const DeviceRows& resident() const noexcept { return resident_; }
  /// Returns the rest, as the device reads it: page-locked memory has the same address there.
  [[nodiscard]] RowsView rest() const noexcept {
    RowsView rows = heavy_.view();
    rows.offsets = Offsets(rest_offsets_.data());
    return rows;
  }
  [[nodiscard]] RowsView rest_on_host() const noexcept { return heavy_.view(); }
  /// Returns the rank of the first arc of each row of the rest.
  [[nodiscard]] const rank_t* min_ranks_on_host() const noexcept { return min_ranks_.data(); }
  [[nodiscard]] const rank_t* min_ranks_on_device() const noexcept {
    return device_min_ranks_.data();
  }
  /// Returns whether every non-empty row has arcs on the device.
  [[nodiscard]] bool has_first_arcs_on_device() const noexcept { return has_first_arcs_on_device_; }
  [[nodiscard]] std::size_t device_bytes() const noexcept {
    return resident_.bytes() + rest_offsets_.bytes() + device_min_ranks_.bytes();
  }

 private:
  PartitionedRows(const RowsView& rows, const RowCut& cut, const cuda::Stream& stream)
      : has_first_arcs_on_device_(cut.part > 0),
        resident_(upload_light_arcs(rows, cut, stream)),
        heavy_(extract_part<cuda::PinnedBuffer>(rows, cut, false)),
        rest_offsets_(cuda::to_device(std::span<const edge_t>(heavy_.offsets), stream)),
        min_ranks_(find_min_ranks()),
        device_min_ranks_(cuda::to_device(std::span<const rank_t>(min_ranks_), stream)) {}

  static DeviceRows upload_light_arcs(const RowsView& rows, const RowCut& cut,
                                      const cuda::Stream& stream) {
    const auto light = extract_part<HostVector>(rows, cut, true);
    DeviceRows resident(light.view(), stream);
    stream.synchronize();  // before `light` is freed
    return resident;
  }

  [[nodiscard]] HostVector<rank_t> find_min_ranks() const {
    const RowsView rows = rest_on_host();
    HostVector<rank_t> found(static_cast<std::size_t>(rows.n_vertices));
    parallel_for(rows.n_vertices, [&](std::int64_t u) {
      const edge_t first = rows.offsets[u];
      found[static_cast<std::size_t>(u)] =
          first == rows.offsets[u + 1] ? rank_of(no_choice) : rows.ranks[first];
    });
    return found;
  }

  const bool has_first_arcs_on_device_;
  const DeviceRows resident_;
  const RowPart<cuda::PinnedBuffer> heavy_;  // page-locked
  const cuda::DeviceBuffer<edge_t> rest_offsets_;
  const HostVector<rank_t> min_ranks_;
  const cuda::DeviceBuffer<rank_t> device_min_ranks_;
};

}  // namespace warpgraph::mst
