// Prepared rows, partly on a device and partly in page-locked host memory. Private to this folder.
//
// If not all fit, each row is cut in two: its lightest arcs are on the device, and heavy ones are
// read only where the light ones of a row all lie within its tree, and the tree's choice so far is
// not lighter than what is left.
#pragma once

#include "algorithms/mst/sorted_rows/prepared_rows.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

namespace warpgraph::mst {

/// Where each row is cut: of d arcs the first ceil(d * part / whole) are on the device.
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
  /// The largest cut with at most n_arcs light arcs.
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

/// The arcs of all rows on one side of the cut, on the host. Pinned: page-locked.
template <class Heads, class Ranks>
struct RowPart {
  HostVector<edge_t> offsets;
  Heads heads;
  Ranks ranks;
};

/// The arcs of each row before its cut if `light`, else from it on.
template <class Part>
Part extract_part(const PreparedRows& prepared, const RowCut& cut, bool light) {
  const CsrPattern rows = prepared.pattern();
  const auto n = static_cast<std::size_t>(rows.n_vertices);
  Part part;
  part.offsets.resize(n + 1);
  parallel_for(rows.n_vertices, [&](std::int64_t u) {
    const edge_t n_light = cut.n_light(rows, u);
    part.offsets[static_cast<std::size_t>(u)] =
        light ? n_light : rows.offsets[u + 1] - rows.offsets[u] - n_light;
  });
  part.offsets[n] = 0;
  const edge_t n_arcs =
      exclusive_scan_in_place(part.offsets.data(), std::int64_t{rows.n_vertices} + 1);
  MemoryBudget(Device{}).require(
      "cutting the rows of the graph in two",
      static_cast<std::size_t>(n_arcs) * (sizeof(vertex_t) + sizeof(rank_t)), "raise memory_limit");
  part.heads = decltype(part.heads)(static_cast<std::size_t>(n_arcs));
  part.ranks = decltype(part.ranks)(static_cast<std::size_t>(n_arcs));
  parallel_for(rows.n_vertices, [&](std::int64_t u) {
    const auto first = static_cast<std::size_t>(part.offsets[static_cast<std::size_t>(u)]);
    const auto last = static_cast<std::size_t>(part.offsets[static_cast<std::size_t>(u) + 1]);
    const auto from =
        static_cast<std::size_t>(rows.offsets[u] + (light ? 0 : cut.n_light(rows, u)));
    for (std::size_t i = first; i < last; ++i) {
      part.heads[i] = prepared.heads[from + (i - first)];
      part.ranks[i] = prepared.ranks[from + (i - first)];
    }
  });
  return part;
}

using LightArcs = RowPart<HostVector<vertex_t>, HostVector<rank_t>>;
using HeavyArcs = RowPart<cuda::PinnedBuffer<vertex_t>, cuda::PinnedBuffer<rank_t>>;

inline constexpr std::size_t bytes_per_arc = sizeof(vertex_t) + sizeof(rank_t);

/// How many arcs fit on the device.
struct Placement {
  edge_t n_arcs_on_device = 0;
  bool all_fit = false;
};

/// Rows that a device can read, in its own or in page-locked host memory.
struct DeviceReadableRows {
  RowsView view;
  vertex_t first = 0;
  vertex_t last = 0;
};

/// The memory of all rows: entirely on the device, or in two parts.
class PartitionedRows {
 public:
  PartitionedRows(const PreparedRows& prepared, const Placement& placement,
                  const cuda::Stream& stream) {
    const RowsView rows = prepared.view();
    if (placement.all_fit) {
      upload(prepared.offsets, rows.heads, rows.ranks, rows.n_arcs, stream);
      resident_ = {view(rows, offsets_, heads_.data(), ranks_.data()), 0, rows.n_vertices};
      shared_rows_ = prepared.pattern();
      shared_ranks_ = prepared.ranks.data();
    } else {
      cut(prepared, RowCut::with_at_most(placement.n_arcs_on_device, prepared.pattern()), stream);
    }
    stream.synchronize();  // before the sources of the copies are freed
  }

  [[nodiscard]] const DeviceReadableRows& resident() const noexcept { return resident_; }
  [[nodiscard]] const DeviceReadableRows& rest() const noexcept { return rest_; }
  /// The rows that host and device share in the search, in host memory.
  [[nodiscard]] CsrPattern shared_rows() const noexcept { return shared_rows_; }
  [[nodiscard]] RowsView shared_rows_view() const noexcept {
    return {shared_rows_.n_vertices,
            shared_rows_.n_arcs,
            shared_rows_.offsets,
            shared_rows_.heads,
            {},
            shared_ranks_};
  }
  /// For cut rows, the rank of each row's first arc beyond the cut; null if rows are not cut.
  [[nodiscard]] const rank_t* min_ranks_on_host() const noexcept {
    return min_ranks_.empty() ? nullptr : min_ranks_.data();
  }
  [[nodiscard]] const rank_t* min_ranks_on_device() const noexcept {
    return device_min_ranks_.data();
  }
  /// Whether every non-empty row has arcs on the device.
  [[nodiscard]] bool has_first_arcs_on_device() const noexcept { return has_first_arcs_on_device_; }
  [[nodiscard]] edge_t n_resident_arcs() const noexcept {
    return static_cast<edge_t>(heads_.size());
  }
  [[nodiscard]] std::size_t device_bytes() const noexcept {
    return offsets_.bytes() + heads_.bytes() + ranks_.bytes() + rest_offsets_.bytes() +
           device_min_ranks_.bytes();
  }

 private:
  void upload(const HostVector<edge_t>& offsets, const vertex_t* heads, const rank_t* ranks,
              edge_t n_arcs, const cuda::Stream& stream) {
    const auto n = static_cast<std::size_t>(n_arcs);
    offsets_ = cuda::to_device(std::span<const edge_t>(offsets), stream);
    heads_ = cuda::to_device(std::span(heads, n), stream);
    ranks_ = cuda::to_device(std::span(ranks, n), stream);
  }
  static RowsView view(RowsView rows, const cuda::DeviceBuffer<edge_t>& offsets,
                       const vertex_t* heads, const rank_t* ranks) {
    rows.offsets = Offsets(offsets.data());
    rows.heads = heads;
    rows.ranks = ranks;
    return rows;
  }

  void cut(const PreparedRows& prepared, const RowCut& where, const cuda::Stream& stream) {
    const RowsView rows = prepared.view();
    const vertex_t n = rows.n_vertices;
    has_first_arcs_on_device_ = where.part > 0;
    const auto light = extract_part<LightArcs>(prepared, where, true);
    upload(light.offsets, light.heads.data(), light.ranks.data(), light.offsets.back(), stream);
    resident_ = {view(rows, offsets_, heads_.data(), ranks_.data()), 0, n};
    heavy_ = extract_part<HeavyArcs>(prepared, where, false);
    rest_offsets_ = cuda::to_device(std::span<const edge_t>(heavy_.offsets), stream);
    // Page-locked memory has the same address on the device.
    rest_ = {view(rows, rest_offsets_, heavy_.heads.data(), heavy_.ranks.data()), 0, n};
    shared_rows_ = {n, heavy_.offsets.back(), Offsets(heavy_.offsets.data()), heavy_.heads.data()};
    shared_ranks_ = heavy_.ranks.data();
    min_ranks_.resize(static_cast<std::size_t>(n));
    parallel_for(n, [&](std::int64_t u) {
      const edge_t first = shared_rows_.offsets[u];
      min_ranks_[static_cast<std::size_t>(u)] =
          first == shared_rows_.offsets[u + 1] ? rank_of(no_choice) : shared_ranks_[first];
    });
    device_min_ranks_ = cuda::to_device(std::span<const rank_t>(min_ranks_), stream);
    stream.synchronize();  // before `light` is freed
  }

  cuda::DeviceBuffer<edge_t> offsets_;
  cuda::DeviceBuffer<vertex_t> heads_;
  cuda::DeviceBuffer<rank_t> ranks_;
  cuda::DeviceBuffer<edge_t> rest_offsets_;
  cuda::DeviceBuffer<rank_t> device_min_ranks_;
  HeavyArcs heavy_;
  HostVector<rank_t> min_ranks_;
  DeviceReadableRows resident_;
  DeviceReadableRows rest_;
  CsrPattern shared_rows_;
  const rank_t* shared_ranks_ = nullptr;
  bool has_first_arcs_on_device_ = true;
};

}  // namespace warpgraph::mst
