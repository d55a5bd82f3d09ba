// How the rows of a graph are divided among the thread blocks that sum them.
//
// A range of consecutive rows has as many arcs as a block stages in shared memory, or fewer. Rows
// with more arcs, the long ones, are divided into the segments of row_sums.hpp instead.
#pragma once

#include "core/cuda/for_each.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/scan.cuh"
#include "core/cuda/worklist.cuh"
#include "primitives/row_sums/row_sums.hpp"

namespace warpgraph::cuda {

/// The rows first .. first + n_rows, and where their arcs are: known before offsets are read.
struct RowRange {
  edge_t first_arc;
  int n_arcs;
  int n_rows;
  vertex_t first;
};

/// n consecutive arcs of a long row.
struct RowSegment {
  edge_t first;
  int n;
};

namespace detail {

inline constexpr edge_t least_arcs_per_range = 512;
inline constexpr edge_t most_arcs_per_range = 2048;

struct RangeLimits {
  edge_t arcs;

  [[nodiscard]] WARPGRAPH_HOST_DEVICE vertex_t rows() const {
    return static_cast<vertex_t>(arcs / 2);
  }
  /// Arcs + 2 rows of a chunk: consecutive rows that one thread divides into ranges.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::int64_t work_per_chunk() const { return 16 * arcs; }
  [[nodiscard]] std::int64_t chunks_of(const CsrPattern& graph) const {
    return (graph.n_arcs + 2 * edge_t{graph.n_vertices}) / work_per_chunk() + 1;
  }
};

/// The first number in low .. high that is not before a boundary; high if there is none.
template <class Index, class IsBefore>
__device__ Index partition_point(Index low, Index high, const IsBefore& is_before) {
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (is_before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Calls visit(range) for the ranges of a chunk, from left to right.
template <class Visit>
__device__ void for_each_range(const CsrPattern& graph, const RangeLimits& limits,
                               std::int64_t chunk, const Visit& visit) {
  const auto first_row_of = [&](std::int64_t c) {
    return partition_point(vertex_t{0}, graph.n_vertices, [&](vertex_t u) {
      return graph.begin(u) + 2 * edge_t{u} < c * limits.work_per_chunk();
    });
  };
  const vertex_t end = first_row_of(chunk + 1);
  for (vertex_t first = first_row_of(chunk); first < end;) {
    const edge_t begin = graph.begin(first);
    const vertex_t most = min(limits.rows(), end - first);
    const vertex_t last =
        partition_point(first + 1, first + most + 1,
                        [&](vertex_t u) { return graph.begin(u) - begin <= limits.arcs; }) -
        1;
    if (last > first) {
      visit(RowRange{begin, static_cast<int>(graph.begin(last) - begin), last - first, first});
    }
    first = max(last, first + 1);  // past a long row
  }
}

struct CountRanges {
  CsrPattern graph;
  RangeLimits limits;
  std::int64_t* counts;
  __device__ void operator()(std::int64_t chunk) const {
    std::int64_t count = 0;
    for_each_range(graph, limits, chunk, [&](RowRange) { ++count; });
    if (chunk == 0) counts[0] = 0;
    counts[chunk + 1] = count;
  }
};

struct WriteRanges {
  CsrPattern graph;
  RangeLimits limits;
  const std::int64_t* firsts;
  RowRange* ranges;
  __device__ void operator()(std::int64_t chunk) const {
    RowRange* to = ranges + firsts[chunk];
    for_each_range(graph, limits, chunk, [&](RowRange range) { *to++ = range; });
  }
};

struct FindLongRow {
  CsrPattern graph;
  RangeLimits limits;
  WorklistView<vertex_t> long_rows;
  __device__ void operator()(std::int64_t u) const {
    const auto row = static_cast<vertex_t>(u);
    if (graph.degree(row) > limits.arcs) long_rows.push(row);
  }
};

/// Writes the number of segments of rows[k] to counts[k + 1].
struct CountSegments {
  CsrPattern graph;
  const vertex_t* rows;
  std::int64_t* counts;
  __device__ void operator()(std::int64_t k) const {
    if (k == 0) counts[0] = 0;
    counts[k + 1] = segments_of(graph.degree(rows[k]));
  }
};

struct WriteSegment {
  CsrPattern graph;
  const vertex_t* rows;
  const std::int64_t* first_segments;
  std::int64_t n_rows;
  RowSegment* segments;
  __device__ void operator()(std::int64_t s) const {
    const std::int64_t k =
        partition_point(std::int64_t{1}, n_rows,
                        [&](std::int64_t row) { return first_segments[row] <= s; }) -
        1;
    const edge_t first = graph.begin(rows[k]) + (s - first_segments[k]) * segment_values;
    segments[s] = {first, static_cast<int>(min(segment_values, graph.end(rows[k]) - first))};
  }
};

}  // namespace detail

/// Made once for several sums over a graph.
class RowPartition {
 public:
  struct View {
    const RowRange* ranges;
    std::int64_t n_ranges;
    const vertex_t* long_rows;
    /// The segments of long_rows[k] are first_segments[k] .. first_segments[k + 1].
    const std::int64_t* first_segments;
    std::int64_t n_long_rows;
    const RowSegment* segments;
    std::int64_t n_segments;
  };

  /// Of ranges for `blocks` thread blocks, or more. Waits for the stream.
  RowPartition(const CsrPattern& graph, std::int64_t blocks, const Stream& stream)
      : limits_(limits_for(graph, blocks)), rows_(graph.n_arcs / limits_.arcs, stream) {
    find_ranges(graph, stream);
    find_long_rows(graph, stream);
  }

  [[nodiscard]] View view() const noexcept {
    return {ranges_.data(), n_ranges_,        rows_.data(), first_segments_.data(),
            n_long_rows_,   segments_.data(), n_segments_};
  }

  /// Bytes on the device.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return ranges_.bytes() + static_cast<std::size_t>(rows_.view().capacity) * sizeof(vertex_t) +
           first_segments_.bytes() + segments_.bytes();
  }
  /// An upper bound of bytes(), and of the sums of segments.
  [[nodiscard]] static std::size_t bytes_needed(const CsrPattern& graph) {
    const detail::RangeLimits least{detail::least_arcs_per_range};
    const auto full = static_cast<std::size_t>(graph.n_arcs / least.arcs);
    // Of two consecutive ranges, both of few rows, one is at least half full, unless a long row or
    // the end of a chunk is between them.
    const auto n_chunks = static_cast<std::size_t>(least.chunks_of(graph));
    const std::size_t n_ranges =
        3 * full + n_chunks + static_cast<std::size_t>(graph.n_vertices / least.rows()) + 1;
    // A long row has 2 segments for each least.arcs arcs, and at most one more.
    const std::size_t n_segments = 3 * full;
    return n_ranges * sizeof(RowRange) + (n_chunks + 1) * sizeof(std::int64_t) +
           (full + 1) * (sizeof(vertex_t) + sizeof(std::int64_t)) +
           n_segments * (sizeof(RowSegment) + sizeof(double));
  }

 private:
  static detail::RangeLimits limits_for(const CsrPattern& graph, std::int64_t blocks) {
    // Ranges are not all full, so a third more arcs than an equal share.
    const edge_t share = graph.n_arcs / blocks / 3 * 4;
    return {std::clamp(share, detail::least_arcs_per_range, detail::most_arcs_per_range)};
  }

  void find_ranges(const CsrPattern& graph, const Stream& stream) {
    const std::int64_t n_chunks = limits_.chunks_of(graph);
    const DeviceBuffer<std::int64_t> firsts(static_cast<std::size_t>(n_chunks) + 1, stream);
    for_each(stream, n_chunks, detail::CountRanges{graph, limits_, firsts.data()});
    inclusive_sum(firsts.data(), n_chunks + 1, stream);
    n_ranges_ = read_back(firsts.data() + n_chunks, stream);
    ranges_ = DeviceBuffer<RowRange>(static_cast<std::size_t>(n_ranges_), stream);
    for_each(stream, n_chunks, detail::WriteRanges{graph, limits_, firsts.data(), ranges_.data()});
  }

  void find_long_rows(const CsrPattern& graph, const Stream& stream) {
    if (graph.n_arcs <= limits_.arcs) return;
    for_each(stream, graph.n_vertices, detail::FindLongRow{graph, limits_, rows_.view()});
    n_long_rows_ = rows_.size(stream);
    if (n_long_rows_ == 0) return;
    first_segments_ =
        DeviceBuffer<std::int64_t>(static_cast<std::size_t>(n_long_rows_) + 1, stream);
    for_each(stream, n_long_rows_,
             detail::CountSegments{graph, rows_.data(), first_segments_.data()});
    inclusive_sum(first_segments_.data(), n_long_rows_ + 1, stream);
    n_segments_ = read_back(first_segments_.data() + n_long_rows_, stream);
    segments_ = DeviceBuffer<RowSegment>(static_cast<std::size_t>(n_segments_), stream);
    for_each(stream, n_segments_,
             detail::WriteSegment{graph, rows_.data(), first_segments_.data(), n_long_rows_,
                                  segments_.data()});
  }

  detail::RangeLimits limits_;
  Worklist<vertex_t> rows_;
  DeviceBuffer<RowRange> ranges_;
  DeviceBuffer<std::int64_t> first_segments_;
  DeviceBuffer<RowSegment> segments_;
  std::int64_t n_ranges_ = 0;
  std::int64_t n_long_rows_ = 0;
  std::int64_t n_segments_ = 0;
};

}  // namespace warpgraph::cuda
