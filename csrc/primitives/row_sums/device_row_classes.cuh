// The rows of a graph by how a device sums them: short ones of up to 8 values by a thread each,
// medium ones of up to 256 by eight threads each, and long ones, of several segments of
// row_sums.hpp, by many warps. Where few rows are short, they are taken for medium ones: sums are
// the same, and one pass over the rows suffices. Most medium rows may be in octets that are staged
// (staged_rows.cuh).
#pragma once

#include "core/cuda/cub/scan.hpp"
#include "core/cuda/for_each.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/warp.cuh"
#include "core/cuda/worklist.cuh"
#include "primitives/row_sums/row_sums.hpp"
#include "primitives/row_sums/staged_rows.cuh"

namespace warpgraph::cuda {

/// n consecutive arcs of a row.
struct RowSegment {
  edge_t first;
  int n;
};

namespace detail {

/// Number of rows of which one is sampled.
inline constexpr std::int64_t sample_stride = 16;

struct RowSample {
  int has_medium;    // 1 if any row is medium
  int n_short;       // number of short rows among the sampled ones
  int has_unstaged;  // 1 if any octet cannot be staged
  int n_unstaged;    // number of such octets among the sampled ones
};

struct ClassifyRow {
  CsrPattern graph;
  WorklistView<vertex_t> long_rows;
  RowSample* sample;
  __device__ void operator()(std::int64_t u) const {
    const auto row = static_cast<vertex_t>(u);
    const edge_t degree = graph.degree(row);
    if (u % octet_rows == 0 || degree > segment_values) note_octet(u, degree);
    if (degree > segment_values) {
      long_rows.push(row);
    } else if (degree <= sum_lanes) {
      if (u % sample_stride == 0) atomicAdd(&sample->n_short, 1);
    } else if (relaxed_load(sample->has_medium) == 0) {
      relaxed_store(sample->has_medium, 1);
    }
  }
  /// Notes whether the octet that begins at u, or the one with a long row u, cannot be staged.
  __device__ void note_octet(std::int64_t u, edge_t degree) const {
    const std::int64_t end = u + octet_rows < graph.n_vertices ? u + octet_rows : graph.n_vertices;
    if (can_stage(graph.offsets[end] - graph.offsets[u], degree)) return;
    if (u % (octet_rows * sample_stride) == 0) atomicAdd(&sample->n_unstaged, 1);
    if (relaxed_load(sample->has_unstaged) == 0) relaxed_store(sample->has_unstaged, 1);
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

/// Writes the segments of rows, a block for each row.
static __global__ void write_segments(CsrPattern graph, const vertex_t* rows, std::int64_t n_rows,
                                      const std::int64_t* first_segments, RowSegment* segments) {
  for (std::int64_t k = blockIdx.x; k < n_rows; k += gridDim.x) {
    const edge_t end = graph.end(rows[k]);
    std::int64_t s = threadIdx.x;
    for (edge_t first = graph.begin(rows[k]) + s * segment_values; first < end;
         first += blockDim.x * segment_values, s += blockDim.x) {
      segments[first_segments[k] + s] = {first, static_cast<int>(min(segment_values, end - first))};
    }
  }
}

}  // namespace detail

/// The rows of a graph by class, for several sums over it.
class RowClasses {
 public:
  struct View {
    int longest_short;  // most values of a short row; -1: no row is short
    bool has_medium;
    bool stages_octets;  // true if most octets are staged; no row is taken for a short one then
    bool has_unstaged;   // true if there are octets that cannot be staged
    const vertex_t* long_rows;
    /// Bounds of segments: those of long_rows[k] are first_segments[k] .. first_segments[k + 1].
    const std::int64_t* first_segments;
    int n_long_rows;
    const RowSegment* segments;
    int n_segments;
  };

  /// Classifies the rows. Waits for the stream.
  RowClasses(const CsrPattern& graph, const Stream& stream)
      : long_rows_(graph.n_arcs / (segment_values + 1), stream) {
    classify(graph, stream);
    if (n_long_rows_ > 0) divide_long_rows(graph, stream);
  }

  [[nodiscard]] View view() const noexcept {
    return {longest_short_, has_medium_,       stages_octets_,
            has_unstaged_,  long_rows_.data(), first_segments_.data(),
            n_long_rows_,   segments_.data(),  n_segments_};
  }

  /// Returns the bytes on the device.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(long_rows_.view().capacity) * sizeof(vertex_t) +
           first_segments_.bytes() + segments_.bytes();
  }
  /// Returns an upper bound on bytes() plus the sums of segments.
  [[nodiscard]] static std::size_t bytes_needed(const CsrPattern& graph) {
    const auto n_rows = static_cast<std::size_t>(graph.n_arcs / (segment_values + 1));
    const std::size_t n_segments = n_rows + static_cast<std::size_t>(graph.n_arcs / segment_values);
    return (n_rows + 1) * (sizeof(vertex_t) + sizeof(std::int64_t)) +
           n_segments * (sizeof(RowSegment) + sizeof(double));
  }

 private:
  void classify(const CsrPattern& graph, const Stream& stream) {
    const DeviceBuffer<detail::RowSample> sample(1, stream);
    fill_bytes(sample.data(), 0, 1, stream);
    for_each(stream, graph.n_vertices,
             detail::ClassifyRow{graph, long_rows_.view(), sample.data()});
    const detail::RowSample found = read_back(sample.data(), stream);
    has_medium_ = found.has_medium != 0;
    has_unstaged_ = found.has_unstaged != 0;
    const std::int64_t few = graph.n_vertices / detail::sample_stride / 4;
    if (has_medium_ && found.n_short <= few) longest_short_ = -1;
    stages_octets_ = longest_short_ < 0 && found.n_unstaged <= few / detail::octet_rows;
    n_long_rows_ = static_cast<int>(long_rows_.size(stream));
  }

  void divide_long_rows(const CsrPattern& graph, const Stream& stream) {
    const int n = n_long_rows_;
    first_segments_ = DeviceBuffer<std::int64_t>(static_cast<std::size_t>(n) + 1, stream);
    for_each(stream, n, detail::CountSegments{graph, long_rows_.data(), first_segments_.data()});
    inclusive_sum(first_segments_.data(), std::int64_t{n} + 1, stream);
    n_segments_ = static_cast<int>(read_back(first_segments_.data() + n, stream));
    segments_ = DeviceBuffer<RowSegment>(static_cast<std::size_t>(n_segments_), stream);
    launch(stream, n, warp_lanes, 0, detail::write_segments, graph, long_rows_.data(), n,
           first_segments_.data(), segments_.data());
  }

  Worklist<vertex_t> long_rows_;
  DeviceBuffer<std::int64_t> first_segments_;
  DeviceBuffer<RowSegment> segments_;
  // A segment has 128 arcs or more on average, and no device has memory for 2^38 arcs.
  int n_long_rows_ = 0;
  int n_segments_ = 0;
  int longest_short_ = sum_lanes;
  bool has_medium_ = false;
  bool stages_octets_ = false;
  bool has_unstaged_ = false;
};

}  // namespace warpgraph::cuda
