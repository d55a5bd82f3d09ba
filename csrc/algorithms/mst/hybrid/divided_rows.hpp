// Prepared rows of which a part lies on a device and the rest in page-locked host memory. Private
// to this folder.
//
// Rows may be cut, or the list of rows. Cut rows are the better way by far: the lightest arcs of
// each row are on the device, and heavy ones are asked for only where the light ones of a row all
// lie within its tree, and nothing that the tree has found yet is lighter than what is left.
#pragma once

#include "algorithms/mst/sorted_rows/boruvka_rows.hpp"
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
  /// The deepest cut with no more than so many light arcs.
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

/// One side of all rows, on the host. Pinned: page-locked.
template <class Heads, class Ranks>
struct RowSide {
  HostVector<edge_t> offsets;
  Heads heads;
  Ranks ranks;
};

/// The arcs of each row from its cut on, or before it if `light`.
template <class Side>
Side take_side(const PreparedRows& prepared, const RowCut& cut, bool light) {
  const CsrPattern rows = prepared.pattern();
  const auto n = static_cast<std::size_t>(rows.n_vertices);
  Side side;
  side.offsets.resize(n + 1);
  parallel_for(rows.n_vertices, [&](std::int64_t u) {
    const edge_t n_light = cut.n_light(rows, u);
    side.offsets[static_cast<std::size_t>(u)] =
        light ? n_light : rows.offsets[u + 1] - rows.offsets[u] - n_light;
  });
  side.offsets[n] = 0;
  const edge_t n_arcs =
      exclusive_scan_in_place(side.offsets.data(), std::int64_t{rows.n_vertices} + 1);
  MemoryBudget(Device{}).require(
      "cutting the rows of the graph in two",
      static_cast<std::size_t>(n_arcs) * (sizeof(vertex_t) + sizeof(rank_t)), "raise memory_limit");
  side.heads = decltype(side.heads)(static_cast<std::size_t>(n_arcs));
  side.ranks = decltype(side.ranks)(static_cast<std::size_t>(n_arcs));
  parallel_for(rows.n_vertices, [&](std::int64_t u) {
    const auto first = static_cast<std::size_t>(side.offsets[static_cast<std::size_t>(u)]);
    const auto last = static_cast<std::size_t>(side.offsets[static_cast<std::size_t>(u) + 1]);
    const auto from =
        static_cast<std::size_t>(rows.offsets[u] + (light ? 0 : cut.n_light(rows, u)));
    for (std::size_t i = first; i < last; ++i) {
      side.heads[i] = prepared.heads[from + (i - first)];
      side.ranks[i] = prepared.ranks[from + (i - first)];
    }
  });
  return side;
}

using LightSide = RowSide<HostVector<vertex_t>, HostVector<rank_t>>;
using HeavySide = RowSide<cuda::PinnedBuffer<vertex_t>, cuda::PinnedBuffer<rank_t>>;

inline constexpr std::size_t bytes_an_arc = sizeof(vertex_t) + sizeof(rank_t);

/// The last row before which there are no more than so many arcs.
inline vertex_t row_before_arc(const Offsets& offsets, vertex_t n_rows, edge_t n_arcs) {
  vertex_t low = 0;
  for (vertex_t high = n_rows; low < high;) {
    const vertex_t middle = low + (high - low + 1) / 2;
    if (offsets[middle] <= n_arcs) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/// Where the arcs lie.
struct Places {
  edge_t n_arcs_on_device = 0;
  bool all_fit = false;
};

/// Rows that a device can read, where it has them or in page-locked host memory.
struct DeviceReadable {
  RowsView view;
  vertex_t first = 0;
  vertex_t last = 0;
};

/// The memory of all rows: whole on the device, or in two parts.
class DividedRows {
 public:
  DividedRows(const PreparedRows& prepared, const Places& places, bool device_alone,
              const cuda::Stream& stream) {
    const RowsView rows = prepared.view();
    const vertex_t n = rows.n_vertices;
    if (places.all_fit || device_alone) {
      const vertex_t split =
          places.all_fit ? n : row_before_arc(rows.offsets, n, places.n_arcs_on_device);
      upload(prepared.offsets, rows.heads, rows.ranks, rows.offsets[split], stream);
      resident_ = {view(rows, offsets_, heads_.data(), ranks_.data()), 0, split};
      if (!places.all_fit) divide_list(prepared, split);
      contested_ = prepared.pattern();
      contested_ranks_ = prepared.ranks.data();
    } else {
      cut(prepared, RowCut::with_at_most(places.n_arcs_on_device, prepared.pattern()), stream);
    }
    stream.synchronize();  // what was copied may go
  }

  [[nodiscard]] const DeviceReadable& resident() const noexcept { return resident_; }
  [[nodiscard]] const DeviceReadable& rest() const noexcept { return rest_; }
  /// The rows that both sides search, on the host.
  [[nodiscard]] CsrPattern contested() const noexcept { return contested_; }
  [[nodiscard]] RowsView contested_view() const noexcept {
    return {contested_.n_vertices, contested_.n_arcs, contested_.offsets, contested_.heads, {},
            contested_ranks_};
  }
  /// Of cut rows the rank of each row's first arc beyond the cut; null if rows are not cut.
  [[nodiscard]] const rank_t* least_on_host() const noexcept {
    return least_.empty() ? nullptr : least_.data();
  }
  [[nodiscard]] const rank_t* least_on_device() const noexcept { return device_least_.data(); }
  /// Every row that has arcs has some on the device.
  [[nodiscard]] bool begins_on_device() const noexcept { return begins_on_device_; }
  [[nodiscard]] edge_t n_resident_arcs() const noexcept {
    return static_cast<edge_t>(heads_.size());
  }
  [[nodiscard]] std::size_t device_bytes() const noexcept {
    return offsets_.bytes() + heads_.bytes() + ranks_.bytes() + rest_offsets_.bytes() +
           device_least_.bytes();
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

  /// The rows from `split` on stay on the host. Page-locked memory has one address for all.
  void divide_list(const PreparedRows& prepared, vertex_t split) {
    const RowsView rows = prepared.view();
    const auto first = static_cast<std::size_t>(rows.offsets[split]);
    const std::size_t n = prepared.ranks.size() - first;
    MemoryBudget(Device{}).require("a page-locked copy of the edges that do not fit",
                                   n * bytes_an_arc, "raise memory_limit");
    heavy_.heads = cuda::PinnedBuffer<vertex_t>(n);
    heavy_.ranks = cuda::PinnedBuffer<rank_t>(n);
    parallel_for(static_cast<std::int64_t>(n), [&](std::int64_t i) {
      const auto place = static_cast<std::size_t>(i);
      heavy_.heads[place] = prepared.heads[first + place];
      heavy_.ranks[place] = prepared.ranks[first + place];
    });
    rest_ = {view(rows, offsets_, heavy_.heads.data() - first, heavy_.ranks.data() - first), split,
             rows.n_vertices};
  }

  void cut(const PreparedRows& prepared, const RowCut& where, const cuda::Stream& stream) {
    const RowsView rows = prepared.view();
    const vertex_t n = rows.n_vertices;
    begins_on_device_ = where.part > 0;
    const auto light = take_side<LightSide>(prepared, where, true);
    upload(light.offsets, light.heads.data(), light.ranks.data(), light.offsets.back(), stream);
    resident_ = {view(rows, offsets_, heads_.data(), ranks_.data()), 0, n};
    heavy_ = take_side<HeavySide>(prepared, where, false);
    rest_offsets_ = cuda::to_device(std::span<const edge_t>(heavy_.offsets), stream);
    rest_ = {view(rows, rest_offsets_, heavy_.heads.data(), heavy_.ranks.data()), 0, n};
    contested_ = {n, heavy_.offsets.back(), Offsets(heavy_.offsets.data()), heavy_.heads.data()};
    contested_ranks_ = heavy_.ranks.data();
    least_.resize(static_cast<std::size_t>(n));
    parallel_for(n, [&](std::int64_t u) {
      const edge_t first = contested_.offsets[u];
      least_[static_cast<std::size_t>(u)] =
          first == contested_.offsets[u + 1] ? rank_of(no_choice) : contested_ranks_[first];
    });
    device_least_ = cuda::to_device(std::span<const rank_t>(least_), stream);
    stream.synchronize();  // `light` goes
  }

  cuda::DeviceBuffer<edge_t> offsets_;
  cuda::DeviceBuffer<vertex_t> heads_;
  cuda::DeviceBuffer<rank_t> ranks_;
  cuda::DeviceBuffer<edge_t> rest_offsets_;
  cuda::DeviceBuffer<rank_t> device_least_;
  HeavySide heavy_;
  HostVector<rank_t> least_;
  DeviceReadable resident_;
  DeviceReadable rest_;
  CsrPattern contested_;
  const rank_t* contested_ranks_ = nullptr;
  bool begins_on_device_ = true;
};

}  // namespace warpgraph::mst
