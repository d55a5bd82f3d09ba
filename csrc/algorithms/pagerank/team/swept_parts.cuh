// The rows that each of several devices sweeps over, in an order in which gathers hit caches: made
// once for a graph, and kept with it.
//
// If the vertices of most arcs come first, blocks of 32 of them are dealt to the parts in turns.
// So parts have about as many arcs and as many vertices each, hubs keep the smallest numbers, and a
// warp still writes the contributions of 32 rows to 256 consecutive bytes. Other parts are ranges
// of vertices with equal arcs.
#pragma once

#include "algorithms/pagerank/sweep_kernels.cuh"
#include "core/atomics.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/memory/derived_cache.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/partition/device_partition.hpp"
#include "graph/transform/device_renumber.cuh"

#include <deque>
#include <functional>
#include <optional>

namespace warpgraph::pagerank {

/// The vertices of rows: row i has vertex first + 32 * stride * (i / 32) + i % 32.
struct RowPlaces {
  vertex_t first = 0;
  vertex_t stride = 1;

  [[nodiscard]] WARPGRAPH_HOST_DEVICE vertex_t operator[](std::int64_t row) const {
    const auto i = static_cast<vertex_t>(row);
    return first + (i & ~31) * stride + (i & 31);
  }
  /// Returns the rows that member m of `stride` gets of n vertices in blocks of 32, of which it
  /// takes every stride-th one.
  [[nodiscard]] static vertex_t rows_dealt(std::int64_t n, int member, int stride) {
    const std::int64_t round = std::int64_t{32} * stride;
    const std::int64_t rest = n % round - std::int64_t{32} * member;
    return static_cast<vertex_t>(n / round * 32 + std::clamp<std::int64_t>(rest, 0, 32));
  }
};

/// Returns the words of a bitmap with a bit for each row.
[[nodiscard]] inline std::size_t words_of_rows(vertex_t n_rows) {
  return (static_cast<std::size_t>(n_rows) + 31) / 32;
}

struct SweptPart {
  AnyCsrView rows;  // heads are vertices of the graph in the new order
  RowPlaces places;
  std::optional<cuda::RowClasses> classes;
  cuda::DeviceBuffer<double> weight_sums;  // of the rows; empty: numbers of arcs
  /// The bits, for each other part in turn, of the rows whose vertices a row there has as heads.
  cuda::DeviceBuffer<std::uint32_t> needed;
  vertex_t first_result = 0;  // of the vertices whose scores this part hands over
  vertex_t n_results = 0;
  // These arrays are used if the graph is in another order:
  cuda::DeviceBuffer<vertex_t> vertices;  // of the rows, as they were numbered before
  cuda::DeviceBuffer<vertex_t> numbers;   // that the results' vertices have now
  cuda::DeviceBuffer<edge_t> offsets;
  cuda::DeviceBuffer<vertex_t> heads;
  cuda::DeviceBuffer<std::byte> weights;

  [[nodiscard]] std::size_t bytes() const noexcept {
    return weight_sums.bytes() + needed.bytes() + vertices.bytes() + numbers.bytes() +
           offsets.bytes() + heads.bytes() + weights.bytes() + (classes ? classes->bytes() : 0);
  }
};

/// Sets the bits of the heads of rows.
struct MarkHead {
  const vertex_t* heads;
  std::uint32_t* marks;
  __device__ void operator()(std::int64_t arc) const {
    const auto v = static_cast<std::uint32_t>(heads[arc]);
    const std::uint32_t bit = 1u << v % 32;
    if ((relaxed_load(marks[v / 32]) & bit) == 0) atomicOr(marks + v / 32, bit);
  }
};

/// Collects the marks of the vertices of 32 rows.
struct CollectMarks {
  const std::uint32_t* marks;  // perhaps on another device
  RowPlaces places;
  vertex_t n_rows;
  std::uint32_t* words;
  __device__ void operator()(std::int64_t word) const {
    std::uint32_t bits = 0;
    for (std::int64_t row = 32 * word; row < min(32 * word + 32, std::int64_t{n_rows}); ++row) {
      const auto v = static_cast<std::uint32_t>(places[row]);
      bits |= (marks[v / 32] >> v % 32 & 1u) << row % 32;
    }
    words[word] = bits;
  }
};

/// Finds the vertices of the rows of a part to which blocks of 32 ranks are dealt.
struct DealRow {
  const vertex_t* by_rank;
  RowPlaces places;
  vertex_t* vertices;
  __device__ void operator()(std::int64_t row) const { vertices[row] = by_rank[places[row]]; }
};

/// Copies the offsets of some rows of a graph, which may be on another device, so that they begin
/// with 0.
struct CopyOffset {
  Offsets from;
  vertex_t first;
  edge_t* to;
  __device__ void operator()(std::int64_t row) const { to[row] = from[first + row] - from[first]; }
};

class SweptParts {
 public:
  /// Copies the rows of a part to its device.
  using RowsOf = std::function<AnyCsrView(int)>;

  /// Makes the parts of a graph on the host. With `share_memory`, kernels on each of the devices
  /// can access the memory of all others.
  SweptParts(const AnyCsrView& transposed, const RowsOf& rows_of,
             std::span<const double> weight_sums, const PageRankOptions& options,
             bool share_memory) {
    DevicePartition& partition = *options.parts;
    for (const Device device : partition.devices()) {
      streams_.emplace_back(device, cuda::Lifetime::kept);
      parts_.emplace_back();
    }
    const bool may_renumber = share_memory && has_memory_to_renumber(transposed, options);
    if (!may_renumber || !renumber(transposed)) divide(rows_of, partition.parts());
    if (share_memory) find_needed(transposed.n_vertices);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      SweptPart& part = parts_[i];
      part.classes.emplace(part.rows, *streams_[i]);
      part.weight_sums = of_rows(weight_sums, part, *streams_[i]);
      if (transposed.weights == nullptr && are_degrees(part.weight_sums, part.rows, *streams_[i])) {
        part.weight_sums = {};
      }
    }
    for (const cuda::BorrowedStream& stream : streams_) (*stream).synchronize();
  }

  [[nodiscard]] const SweptPart& operator[](int part) const {
    return parts_[static_cast<std::size_t>(part)];
  }
  [[nodiscard]] bool is_renumbered() const noexcept { return is_renumbered_; }
  [[nodiscard]] bool has_hubs_first() const noexcept { return has_hubs_first_; }

  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = 0;
    for (const SweptPart& part : parts_) sum += part.bytes();
    return sum;
  }
  /// Returns the bytes of a part with as many rows, if the graph is not renumbered, beside the rows
  /// themselves.
  [[nodiscard]] static std::size_t bytes_of_part(const CsrPattern& rows, vertex_t n_vertices,
                                                 int n_parts, bool has_weight_sums) {
    const std::size_t n_words = words_of_rows(n_vertices) +
                                static_cast<std::size_t>(n_parts) * words_of_rows(rows.n_vertices);
    const auto n_sums = static_cast<std::size_t>(has_weight_sums ? rows.n_vertices : 0);
    return n_sums * sizeof(double) + n_words * sizeof(std::uint32_t) +
           cuda::RowClasses::bytes_needed(rows);
  }

  /// Returns the numbers of the rows' vertices on the device of a part.
  [[nodiscard]] static cuda::DeviceBuffer<double> of_rows(std::span<const double> items,
                                                          const SweptPart& part,
                                                          const cuda::Stream& stream) {
    const vertex_t n = part.rows.n_vertices;
    if (items.empty()) return {};
    if (part.vertices.size() != 0) return in_order(items, part.vertices.data(), n, stream);
    const auto first = static_cast<std::size_t>(part.places.first);
    return cuda::to_device(items.subspan(first, static_cast<std::size_t>(n)), stream);
  }

 private:
  [[nodiscard]] int n_parts() const { return static_cast<int>(parts_.size()); }

  /// Returns whether the graph is large enough for another order, and each device has the memory
  /// that it takes: on the first one while parts are made, and afterwards on any.
  [[nodiscard]] bool has_memory_to_renumber(const AnyCsrView& graph,
                                            const PageRankOptions& options) const {
    if (graph.n_vertices < options.least_renumbered) return false;
    const std::size_t bytes = 3 * cuda::RenumberedGraph::bytes_needed(graph);
    return std::ranges::all_of(streams_, [&](const cuda::BorrowedStream& stream) {
      return options.budget.on((*stream).device()).has(bytes);
    });
  }

  void divide(const RowsOf& rows_of, const PartitionView& parts) {
    for (int i = 0; i < n_parts(); ++i) {
      SweptPart& part = parts_[static_cast<std::size_t>(i)];
      part.rows = rows_of(i);
      part.places = {parts.begin(i), 1};
      part.first_result = part.places.first;
      part.n_results = part.rows.n_vertices;
    }
  }

  /// Finds the rows of each part whose values other parts need: on meshes, their borders.
  void find_needed(vertex_t n_vertices) {
    std::vector<cuda::DeviceBuffer<std::uint32_t>> marks;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const cuda::Stream& stream = *streams_[i];
      marks.emplace_back(static_cast<std::size_t>(n_vertices / 32 + 1), stream);
      cuda::fill_bytes(marks[i].data(), 0, marks[i].size(), stream);
      cuda::for_each(stream, parts_[i].rows.n_arcs,
                     MarkHead{parts_[i].rows.heads, marks[i].data()});
    }
    for (const cuda::BorrowedStream& stream : streams_) (*stream).synchronize();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      SweptPart& part = parts_[i];
      const std::size_t n_words = words_of_rows(part.rows.n_vertices);
      part.needed = cuda::DeviceBuffer<std::uint32_t>((parts_.size() - 1) * n_words, *streams_[i]);
      std::uint32_t* words = part.needed.data();
      for (std::size_t other = 0; other < parts_.size(); ++other) {
        if (other == i) continue;
        cuda::for_each(*streams_[i], static_cast<std::int64_t>(n_words),
                       CollectMarks{marks[other].data(), part.places, part.rows.n_vertices, words});
        words += n_words;
      }
    }
    for (const cuda::BorrowedStream& stream : streams_) (*stream).synchronize();
  }

  /// Renumbers the graph, and returns true, if there is an order that serves.
  bool renumber(const AnyCsrView& transposed) {
    const cuda::Stream& stream = *streams_.front();
    const DevicePattern pattern(transposed, stream);
    std::optional<cuda::GatherOrder> order = cuda::order_for_gathers(pattern.view(), stream);
    if (!order) return false;
    const cuda::DeviceBuffer<std::byte> weights =
        cuda::to_device(transposed.bytes_of_weights(), stream);
    const AnyCsrView given = transposed.with(pattern.view(), weights.data());
    is_renumbered_ = true;
    has_hubs_first_ = order->is_by_degree;
    const cuda::DeviceBuffer<vertex_t> numbers =
        cuda::detail::numbers_of(order->vertices.data(), transposed.n_vertices, stream);
    const cuda::DeviceBuffer<vertex_t> rows =
        has_hubs_first_ ? deal(*order, stream) : cuda::DeviceBuffer<vertex_t>();
    const cuda::RenumberedGraph renumbered(given, std::move(order->vertices), has_hubs_first_,
                                           stream, rows.data());
    const vertex_t* const vertices = has_hubs_first_ ? rows.data() : renumbered.order();
    hand_out(transposed.with(renumbered.pattern(), renumbered.weights()), vertices, numbers.data(),
             stream);
    return true;
  }

  /// Returns the vertices of the rows of all parts, one part after the other.
  cuda::DeviceBuffer<vertex_t> deal(const cuda::GatherOrder& order, const cuda::Stream& stream) {
    const auto n = static_cast<std::int64_t>(order.vertices.size());
    cuda::DeviceBuffer<vertex_t> rows(order.vertices.size(), stream);
    std::int64_t first = 0;
    for (int i = 0; i < n_parts(); ++i) {
      const vertex_t n_rows = RowPlaces::rows_dealt(n, i, n_parts());
      cuda::for_each(stream, n_rows,
                     DealRow{order.vertices.data(), {32 * i, n_parts()}, rows.data() + first});
      first += n_rows;
    }
    return rows;
  }

  /// Returns the ranges of the rows of the parts.
  PartitionView ranges_of_rows(const CsrPattern& graph, const cuda::Stream& stream) const {
    const std::int64_t n = graph.n_vertices;
    PartitionView ranges;
    ranges.n_parts = n_parts();
    if (has_hubs_first_) {
      for (int i = 0; i < n_parts(); ++i) {
        ranges.begins[i + 1] = ranges.begins[i] + RowPlaces::rows_dealt(n, i, n_parts());
      }
      return ranges;
    }
    const auto on_host = [&](const auto* offsets) {
      using Offset = std::remove_cvref_t<decltype(*offsets)>;
      const auto copy =
          cuda::to_host<HostVector<Offset>>(offsets, static_cast<std::size_t>(n) + 1, stream);
      return equal_arcs({graph.n_vertices, graph.n_arcs, Offsets(copy.data()), nullptr}, n_parts());
    };
    return graph.offsets.is_wide() ? on_host(graph.offsets.wide())
                                   : on_host(graph.offsets.narrow());
  }

  template <class T>
  static cuda::DeviceBuffer<T> slice(const T* from, std::int64_t first, std::int64_t n,
                                     const cuda::Stream& stream) {
    cuda::DeviceBuffer<T> made(static_cast<std::size_t>(n), stream);
    cuda::copy(made.data(), from + first, static_cast<std::size_t>(n), stream);
    return made;
  }

  /// A guard that waits for copies before what they read is freed, also if one of them fails.
  struct CopiesInFlight {
    const std::deque<cuda::BorrowedStream>& streams;
    ~CopiesInFlight() {
      for (const cuda::BorrowedStream& stream : streams) (*stream).finish();
    }
  };

  /// Copies what each part needs to its device.
  void hand_out(const AnyCsrView& graph, const vertex_t* vertices, const vertex_t* numbers,
                const cuda::Stream& stream) {
    const PartitionView ranges = ranges_of_rows(graph, stream);
    stream.synchronize();
    const CopiesInFlight copies{streams_};
    edge_t first_arc = 0;
    for (int i = 0; i < n_parts(); ++i) {
      SweptPart& part = parts_[static_cast<std::size_t>(i)];
      const cuda::Stream& own = *streams_[static_cast<std::size_t>(i)];
      const auto result = [&](int k) {
        return static_cast<vertex_t>(std::int64_t{graph.n_vertices} * k / n_parts());
      };
      part.places = has_hubs_first_ ? RowPlaces{32 * i, n_parts()} : RowPlaces{ranges.begin(i), 1};
      part.vertices = slice(vertices, ranges.begin(i), ranges.size(i), own);
      part.first_result = result(i);
      part.n_results = result(i + 1) - result(i);
      part.numbers = slice(numbers, part.first_result, part.n_results, own);
      first_arc += take_rows(graph, ranges.begin(i), ranges.size(i), first_arc, part, own);
    }
    for (const cuda::BorrowedStream& other : streams_) (*other).synchronize();
  }

  /// Copies rows to a part and returns the number of their arcs.
  static edge_t take_rows(const AnyCsrView& graph, vertex_t first_row, vertex_t n_rows,
                          edge_t first_arc, SweptPart& part, const cuda::Stream& own) {
    part.offsets = cuda::DeviceBuffer<edge_t>(static_cast<std::size_t>(n_rows) + 1, own);
    cuda::for_each(own, std::int64_t{n_rows} + 1,
                   CopyOffset{graph.offsets, first_row, part.offsets.data()});
    const edge_t n_arcs =
        cuda::read_back(static_cast<const edge_t*>(part.offsets.data()) + n_rows, own);
    part.heads = slice(graph.heads, first_arc, n_arcs, own);
    part.weights = slice(graph.bytes_of_weights().data(),
                         static_cast<std::int64_t>(graph.bytes_before(first_arc)),
                         static_cast<std::int64_t>(graph.bytes_before(n_arcs)), own);
    const Offsets offsets(static_cast<const edge_t*>(part.offsets.data()));
    part.rows = graph.with({n_rows, n_arcs, offsets, part.heads.data()}, part.weights.data());
    return n_arcs;
  }

  std::deque<cuda::BorrowedStream> streams_;  // until the parts have been freed
  std::deque<SweptPart> parts_;
  bool is_renumbered_ = false;
  bool has_hubs_first_ = false;
};

}  // namespace warpgraph::pagerank
