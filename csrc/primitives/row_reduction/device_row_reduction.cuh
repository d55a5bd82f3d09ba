// reduce_rows() on a device, with the results of row_reduction.hpp bit by bit.
//
// A warp has 32 consecutive rows. It loads the values of all rows with at most 16 arcs together
// into shared memory, where each lane combines those of its own row, so that reads of heads are
// coalesced [1]. Then all lanes work on each longer row in turn. Segments of rows with more than
// one are divided among all warps.
//
// [1] Greathouse, Daga: Efficient sparse matrix-vector multiplication on GPUs using the CSR storage
//     format. SC 2014.
#pragma once

#include "core/cuda/for_each.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/scan.cuh"
#include "core/cuda/warp.cuh"
#include "core/cuda/worklist.cuh"
#include "primitives/row_reduction/row_reduction.hpp"

namespace warpgraph::cuda {

namespace detail {

/// Adds u if it has more than one segment.
struct FindLongRow {
  CsrPattern graph;
  WorklistView<vertex_t> long_rows;
  __device__ void operator()(std::int64_t u) const {
    const auto row = static_cast<vertex_t>(u);
    if (graph.degree(row) > segment_values) long_rows.push(row);
  }
};

/// Writes the number of segments of rows[k] to counts[k + 1].
struct CountSegments {
  CsrPattern graph;
  const vertex_t* rows;
  std::int64_t* counts;
  __device__ void operator()(std::int64_t k) const {
    if (k == 0) counts[0] = 0;
    counts[k + 1] = (graph.degree(rows[k]) + segment_values - 1) / segment_values;
  }
};

}  // namespace detail

/// The rows of a graph with more than one segment. Made once for several reductions.
class LongRows {
 public:
  struct View {
    const vertex_t* rows;
    /// The segments of rows[k] are first_segment[k] .. first_segment[k + 1].
    const std::int64_t* first_segment;
    std::int64_t n_rows;
    std::int64_t n_segments;
  };

  /// Waits for the stream.
  LongRows(const CsrPattern& graph, const Stream& stream)
      : rows_(graph.n_arcs / segment_values, stream) {
    if (graph.n_arcs <= segment_values) return;
    for_each(stream, graph.n_vertices, detail::FindLongRow{graph, rows_.view()});
    n_rows_ = rows_.size(stream);
    if (n_rows_ == 0) return;
    first_segment_ = DeviceBuffer<std::int64_t>(static_cast<std::size_t>(n_rows_) + 1, stream);
    for_each(stream, n_rows_, detail::CountSegments{graph, rows_.data(), first_segment_.data()});
    inclusive_sum(first_segment_.data(), n_rows_ + 1, stream);
    n_segments_ = read_back(first_segment_.data() + n_rows_, stream);
  }

  [[nodiscard]] View view() const noexcept {
    return {rows_.data(), first_segment_.data(), n_rows_, n_segments_};
  }

  /// Bytes on the device.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(rows_.view().capacity) * sizeof(vertex_t) +
           first_segment_.bytes();
  }
  /// An upper bound of bytes(), and of the results of segments during a reduction.
  [[nodiscard]] static std::size_t bytes_needed(const CsrPattern& graph) {
    // A long row has at least a full segment and one value of another. So there are at most twice
    // as many segments as full ones, and as many rows.
    const auto full = static_cast<std::size_t>(graph.n_arcs / segment_values);
    return full * (sizeof(vertex_t) + sizeof(std::int64_t)) + 2 * full * sizeof(double) +
           sizeof(std::int64_t);
  }

 private:
  Worklist<vertex_t> rows_;
  DeviceBuffer<std::int64_t> first_segment_;
  std::int64_t n_rows_ = 0;
  std::int64_t n_segments_ = 0;
};

namespace detail {

/// As reduce_segment() of the host. All lanes call it; the result is in lane 0.
template <class T, class ValueAt, class Combine>
__device__ T reduce_segment_by_warp(std::int64_t n, const ValueAt& value_at, const Combine& combine,
                                    T identity) {
  T result = identity;
  if (n <= max_sequential_values) {
    if (lane() != 0) return identity;
    for (std::int64_t i = 0; i < n; ++i) result = combine(result, value_at(i));
    return result;
  }
#pragma unroll 4
  for (std::int64_t i = lane(); i < n; i += warp_lanes) result = combine(result, value_at(i));
  for (int step = warp_lanes / 2; step > 0; step /= 2) {
    const T other = __shfl_down_sync(all_lanes, result, step);
    result = combine(result, other);
  }
  return result;
}

/// Rows of one segment: each thread has one.
template <class T, class Value, class Combine>
__global__ void reduce_rows_of_one_segment(CsrPattern graph, Value value, Combine combine,
                                           T identity, T* results) {
  constexpr int max_staged = warp_lanes * max_sequential_values;
  __shared__ T staged_by_warp[threads_per_block / warp_lanes][max_staged];
  T* const staged = staged_by_warp[threadIdx.x / warp_lanes];
  const std::int64_t i = global_index();
  const bool is_row = i < graph.n_vertices;
  const auto row = static_cast<vertex_t>(i);
  const edge_t begin = is_row ? graph.begin(row) : 0;
  const edge_t degree = is_row ? graph.degree(row) : 0;
  const bool is_short = degree <= max_sequential_values;

  const int n_values = is_short ? static_cast<int>(degree) : 0;
  const int start = warp_exclusive_sum(n_values);
  const int n_staged = __shfl_sync(all_lanes, start + n_values, warp_lanes - 1);
  for (int first = 0; first < n_staged; first += warp_lanes) {
    const int place = first + lane();
    const int owner = owner_of(place, start);
    const edge_t position =
        __shfl_sync(all_lanes, begin, owner) + place - __shfl_sync(all_lanes, start, owner);
    const vertex_t tail = __shfl_sync(all_lanes, row, owner);
    if (place < n_staged) staged[place] = value(tail, graph.heads[position], position);
  }
  __syncwarp();
  if (is_row && is_short) {
    T result = identity;
    for (int k = 0; k < n_values; ++k) result = combine(result, staged[start + k]);
    results[row] = result;
  }

  unsigned others = __ballot_sync(all_lanes, !is_short && degree <= segment_values);
  for (; others != 0; others &= others - 1) {
    const int owner = first_lane(others);
    const vertex_t tail = __shfl_sync(all_lanes, row, owner);
    const edge_t from = __shfl_sync(all_lanes, begin, owner);
    const T result = reduce_segment_by_warp(
        __shfl_sync(all_lanes, degree, owner),
        [&](std::int64_t k) { return value(tail, graph.heads[from + k], from + k); }, combine,
        identity);
    if (lane() == 0) results[tail] = result;
  }
}

/// A warp for each segment of the long rows.
template <class T, class Value, class Combine>
__global__ void reduce_segments(CsrPattern graph, LongRows::View long_rows, Value value,
                                Combine combine, T identity, T* segment_results) {
  const std::int64_t segment = global_index() / warp_lanes;
  if (segment >= long_rows.n_segments) return;
  std::int64_t k = 0;  // the last row whose first segment is at most `segment`
  for (std::int64_t past = long_rows.n_rows; past - k > 1;) {
    const std::int64_t middle = (k + past) / 2;
    (long_rows.first_segment[middle] <= segment ? k : past) = middle;
  }
  const vertex_t tail = long_rows.rows[k];
  const edge_t from = graph.begin(tail) + (segment - long_rows.first_segment[k]) * segment_values;
  const edge_t n = min(segment_values, graph.end(tail) - from);
  const auto value_at = [&](std::int64_t i) {
    return value(tail, graph.heads[from + i], from + i);
  };
  const T result = reduce_segment_by_warp(n, value_at, combine, identity);
  if (lane() == 0) segment_results[segment] = result;
}

/// A warp for each long row. Overwrites `segment_results`: the results of a level take the place of
/// values that have been combined.
template <class T, class Combine>
__global__ void reduce_segment_results(LongRows::View long_rows, Combine combine, T identity,
                                       T* segment_results, T* results) {
  const std::int64_t k = global_index() / warp_lanes;
  if (k >= long_rows.n_rows) return;
  T* const values = segment_results + long_rows.first_segment[k];
  std::int64_t n = long_rows.first_segment[k + 1] - long_rows.first_segment[k];
  const auto reduce = [&](std::int64_t first, std::int64_t count) {
    return reduce_segment_by_warp(
        count, [&](std::int64_t i) { return values[first + i]; }, combine, identity);
  };
  while (n > segment_values) {
    const std::int64_t n_segments = (n + segment_values - 1) / segment_values;
    for (std::int64_t s = 0; s < n_segments; ++s) {
      const T result = reduce(s * segment_values, min(segment_values, n - s * segment_values));
      if (lane() == 0) values[s] = result;
      __syncwarp();
    }
    n = n_segments;
  }
  const T result = reduce(0, n);
  if (lane() == 0) results[long_rows.rows[k]] = result;
}

}  // namespace detail

/// Writes n_vertices results. `value` and `combine` are copied to the device: structs of views, or
/// __device__ lambdas that capture views. `long_rows` are those of the graph. Asynchronous.
template <class T, class Value, class Combine>
void reduce_rows(const Stream& stream, const CsrPattern& graph, const LongRows& long_rows,
                 const Value& value, const Combine& combine, T identity, T* results) {
  static_assert(sizeof(T) <= 8 && warp_lanes == segment_lanes);
  launch_for(stream, graph.n_vertices, detail::reduce_rows_of_one_segment<T, Value, Combine>, graph,
             value, combine, identity, results);
  const LongRows::View rows = long_rows.view();
  if (rows.n_rows == 0) return;
  const DeviceBuffer<T> segment_results(static_cast<std::size_t>(rows.n_segments), stream);
  launch_for(stream, warp_lanes * rows.n_segments, detail::reduce_segments<T, Value, Combine>,
             graph, rows, value, combine, identity, segment_results.data());
  launch_for(stream, warp_lanes * rows.n_rows, detail::reduce_segment_results<T, Combine>, rows,
             combine, identity, segment_results.data(), results);
}

}  // namespace warpgraph::cuda
