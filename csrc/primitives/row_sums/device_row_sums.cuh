// sum_rows() on a device, with the sums of row_sums.hpp bit by bit, inside a cooperative kernel.
//
// A thread block takes ranges of rows. It loads the values of all arcs of a range together into
// shared memory, so that reads of heads are coalesced and every thread has eight of them in flight
// [1]. Neighbouring rows share a first-level cache meanwhile. Then one thread adds the values of a
// row of up to 8, eight threads those of a segment. The segments of long rows are read by eight
// threads each, without shared memory; after a barrier of the grid their sums are added.
//
// [1] Greathouse, Daga: Efficient sparse matrix-vector multiplication on GPUs using the CSR storage
//     format. SC 2014.
#pragma once

#include "core/cuda/warp.cuh"
#include "primitives/row_sums/device_row_partition.cuh"

#include <cooperative_groups.h>

namespace warpgraph::cuda {

namespace detail {

inline constexpr int sum_groups = static_cast<int>(threads_per_block) / sum_lanes;  // of a block
inline constexpr int groups_per_warp = warp_lanes / sum_lanes;
inline constexpr int values_per_thread =
    static_cast<int>(most_arcs_per_range / static_cast<edge_t>(threads_per_block));
/// Rows of more than one segment in a range.
inline constexpr int most_big_rows = static_cast<int>(most_arcs_per_range / (segment_values + 1));
/// Each of them may end with a segment that is not full.
inline constexpr int most_big_segments =
    static_cast<int>(most_arcs_per_range / segment_values) + most_big_rows;
static_assert(most_big_segments <= sum_groups);

/// Where value i is staged. A gap after each 16 values: without it, threads that read rows of 4 or
/// 8 values each would access the same banks.
__device__ inline int staged_at(int i) { return i + i / 16; }

__device__ inline int lane_of_group() { return lane() % sum_lanes; }
__device__ inline int group_of_block() { return static_cast<int>(threadIdx.x) / sum_lanes; }

/// The sum of the lanes of each group, in its first lane. The lanes of `mask` call it.
__device__ inline double sum_of_lanes(double value, unsigned mask) {
#pragma unroll
  for (int step = sum_lanes / 2; step > 0; step /= 2) {
    value += __shfl_down_sync(mask, value, step, sum_lanes);
  }
  return value;
}

/// The sum of value_at(0) .. value_at(n - 1), n <= 8, by one thread.
template <class ValueAt>
__device__ double sum_of_few(int n, const ValueAt& value_at) {
  const auto lane = [&](int l) { return l < n ? value_at(l) : 0.0; };
  double sums[4] = {lane(0), lane(1), lane(2), lane(3)};
  if (n > 4) {
#pragma unroll
    for (int l = 0; l < 4; ++l) sums[l] += lane(l + 4);
  }
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

/// Calls take(k, value) for the values at the positions position_at(k), k < n, where is_there(k).
template <int n, class Value, class IsThere, class PositionAt, class Take>
__device__ void load_values(const CsrPattern& graph, const Value& value, const IsThere& is_there,
                            const PositionAt& position_at, const Take& take) {
  // Loops of their own, so that the loads of each are in flight together. Half of the values at a
  // time: all of them would need twice as many registers.
  constexpr int half = n / 2;
  vertex_t heads[n];
#pragma unroll
  for (int k = 0; k < n; ++k) {
    if (is_there(k)) heads[k] = __ldcs(graph.heads + position_at(k));
  }
#pragma unroll
  for (int first = 0; first < n; first += half) {
    double values[half] = {};
#pragma unroll
    for (int k = 0; k < half; ++k) {
      if (is_there(first + k)) values[k] = value(heads[first + k], position_at(first + k));
    }
#pragma unroll
    for (int k = 0; k < half; ++k) {
      if (is_there(first + k)) take(first + k, values[k]);
    }
  }
}

}  // namespace detail

/// Shared memory of sum_rows().
struct RowSumsScratch {
  double staged[detail::most_arcs_per_range + detail::most_arcs_per_range / 16];
  double segment_sums[detail::most_big_segments];
  int big_rows[detail::most_big_rows];  // in the range
  int n_big_rows;
};

namespace detail {

/// The sums of one range. All threads of a block call the functions together.
template <class Value>
class RangeSummation {
 public:
  __device__ RangeSummation(const CsrPattern& graph, const Value& value, RowRange range,
                            RowSumsScratch& scratch)
      : graph_(graph), value_(value), range_(range), scratch_(scratch) {}

  /// Calls consume(row, sum) on one thread for each row. Begins and ends with
  /// scratch.n_big_rows = 0.
  template <class Consume>
  __device__ void sum_rows(const Consume& consume) const {
    stage_values();
    if (__syncthreads_or(find_rows_of_groups())) {
      sum_rows_of_one_segment();
      sum_big_rows();
    }
#pragma unroll 1
    for (int r = static_cast<int>(threadIdx.x); r < range_.n_rows; r += threads_per_block) {
      const int first = first_of(r);
      const int n = first_of(r + 1) - first;
      const auto value_at = [&](int i) { return scratch_.staged[staged_at(first + i)]; };
      consume(range_.first + r, n > sum_lanes ? value_at(0) : sum_of_few(n, value_at));
    }
    __syncthreads();
  }

 private:
  /// The place of the first value of a row.
  [[nodiscard]] __device__ int first_of(int r) const {
    return static_cast<int>(graph_.begin(range_.first + r) - range_.first_arc);
  }

  __device__ void stage_values() const {
    const int n = range_.n_arcs;
    const auto at = [&](int k) { return static_cast<int>(threadIdx.x + k * threads_per_block); };
    load_values<values_per_thread>(
        graph_, value_, [&](int k) { return at(k) < n; },
        [&](int k) { return range_.first_arc + at(k); },
        [&](int k, double value) { scratch_.staged[staged_at(at(k))] = value; });
  }

  /// Whether this thread has found rows of more than 8 values. Lists those of several segments.
  [[nodiscard]] __device__ bool find_rows_of_groups() const {
    bool found = false;
#pragma unroll 1
    for (int r = static_cast<int>(threadIdx.x); r < range_.n_rows; r += threads_per_block) {
      const int n = first_of(r + 1) - first_of(r);
      found |= n > sum_lanes;
      if (n > segment_values) scratch_.big_rows[atomicAdd(&scratch_.n_big_rows, 1)] = r;
    }
    return found;
  }

  /// The lanes' sums of the values first .. first + n. All lanes of a warp call it.
  [[nodiscard]] __device__ double sum_staged(int first, int n) const {
    double sum = 0;
#pragma unroll 4
    for (int i = lane_of_group(); i < n; i += sum_lanes) {
      sum += scratch_.staged[staged_at(first + i)];
    }
    return sum_of_lanes(sum, all_lanes);
  }

  /// Rows of 9 to 256 values. Their sums replace their first values.
  __device__ void sum_rows_of_one_segment() const {
    const int in_warp = group_of_block() % groups_per_warp;
    for (int base = group_of_block() - in_warp; base < range_.n_rows; base += sum_groups) {
      const int r = base + in_warp;
      const int first = r < range_.n_rows ? first_of(r) : 0;
      const int n = r < range_.n_rows ? first_of(r + 1) - first : 0;
      const bool is_mine = n > sum_lanes && n <= segment_values;
      if (__any_sync(all_lanes, is_mine) == 0) continue;
      const double sum = sum_staged(first, is_mine ? n : 0);
      if (is_mine && lane_of_group() == 0) scratch_.staged[staged_at(first)] = sum;
    }
  }

  /// Rows of several segments, a group for each of these.
  __device__ void sum_big_rows() const {
    const int n_big_rows = scratch_.n_big_rows;
    if (n_big_rows > 0) {
      int segment = group_of_block();
      int k = 0;  // among the big rows
      for (; k < n_big_rows && segment >= segments_of_big(k); ++k) segment -= segments_of_big(k);
      int first = 0;
      int n = 0;
      if (k < n_big_rows) {
        const int r = scratch_.big_rows[k];
        first = first_of(r) + segment * static_cast<int>(segment_values);
        n = min(static_cast<int>(segment_values), first_of(r + 1) - first);
      }
      const double sum = sum_staged(first, n);
      if (n > 0 && lane_of_group() == 0) scratch_.segment_sums[group_of_block()] = sum;
    }
    __syncthreads();
    if (n_big_rows == 0) return;
    if (const auto k = static_cast<int>(threadIdx.x); k < n_big_rows) add_segments_of_big(k);
    __syncthreads();
    if (threadIdx.x == 0) scratch_.n_big_rows = 0;
  }

  [[nodiscard]] __device__ int segments_of_big(int k) const {
    const int r = scratch_.big_rows[k];
    return static_cast<int>(segments_of(first_of(r + 1) - first_of(r)));
  }

  __device__ void add_segments_of_big(int k) const {
    int before = 0;
    for (int other = 0; other < k; ++other) before += segments_of_big(other);
    scratch_.staged[staged_at(first_of(scratch_.big_rows[k]))] =
        sum_of_few(segments_of_big(k), [&](int s) { return scratch_.segment_sums[before + s]; });
  }

  const CsrPattern& graph_;
  const Value& value_;
  const RowRange range_;
  RowSumsScratch& scratch_;
};

/// The sum of a segment of a long row, in the first lane of the group. All lanes of a warp call it.
template <class Value>
__device__ double sum_segment_by_group(const CsrPattern& graph, const Value& value,
                                       RowSegment segment) {
  constexpr int at_once = 8;
  double sum = 0;
  for (int first = lane_of_group(); first < segment.n; first += at_once * sum_lanes) {
    load_values<at_once>(
        graph, value, [&](int k) { return first + k * sum_lanes < segment.n; },
        [&](int k) { return segment.first + (first + k * sum_lanes); },
        [&](int, double loaded) { sum += loaded; });
  }
  return sum_of_lanes(sum, all_lanes);
}

/// The sum of n sums of segments, in the first lane of a group, whose lanes are `mask`. Overwrites
/// the sums: those of a level take the place of values that have been added.
__device__ inline double sum_of_segments(double* sums, std::int64_t n, unsigned mask) {
  const auto sum_from = [&](std::int64_t first, std::int64_t count) {
    double sum = 0;
#pragma unroll 4
    for (std::int64_t i = lane_of_group(); i < count; i += sum_lanes) sum += sums[first + i];
    return sum_of_lanes(sum, mask);
  };
  while (n > segment_values) {
    for (std::int64_t s = 0; s < segments_of(n); ++s) {
      const std::int64_t first = s * segment_values;
      const double sum = sum_from(first, min(segment_values, n - first));
      __syncwarp(mask);
      if (lane_of_group() == 0) sums[s] = sum;
      __syncwarp(mask);
    }
    n = segments_of(n);
  }
  return sum_from(0, n);
}

}  // namespace detail

/// Calls consume(row, sum) once for each row, on some thread. All threads of a cooperative grid of
/// blocks of threads_per_block threads call it. `segment_sums` has n_segments places. A barrier of
/// the grid must come before the next call.
template <class Value, class Consume>
__device__ void sum_rows(const CsrPattern& graph, const RowPartition::View& rows,
                         const Value& value, const Consume& consume, double* segment_sums,
                         RowSumsScratch& scratch) {
  if (threadIdx.x == 0) scratch.n_big_rows = 0;
  __syncthreads();
  // Segments first: blocks that end with ranges, which take less time, end at about the same time.
  const std::int64_t n_steps = (rows.n_segments + detail::sum_groups - 1) / detail::sum_groups;
  std::int64_t i = blockIdx.x;
  for (; i < n_steps; i += gridDim.x) {
    const std::int64_t s = i * detail::sum_groups + detail::group_of_block();
    const RowSegment segment = s < rows.n_segments ? rows.segments[s] : RowSegment{0, 0};
    const double sum = detail::sum_segment_by_group(graph, value, segment);
    if (s < rows.n_segments && detail::lane_of_group() == 0) segment_sums[s] = sum;
  }
  // The next range is read one step ahead, so that the block does not wait for it.
  const auto range_at = [&](std::int64_t place) {
    return place < rows.n_ranges ? rows.ranges[place] : RowRange{0, 0, 0, 0};
  };
  RowRange range = range_at(i - n_steps);
  for (; i < n_steps + rows.n_ranges; i += gridDim.x) {
    const RowRange next = range_at(i - n_steps + gridDim.x);
    detail::RangeSummation(graph, value, range, scratch).sum_rows(consume);
    range = next;
  }
  if (rows.n_long_rows == 0) return;
  cooperative_groups::this_grid().sync();
  const unsigned mask = ((1u << sum_lanes) - 1) << (lane() - detail::lane_of_group());
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * detail::sum_groups;
  for (std::int64_t k = global_index() / sum_lanes; k < rows.n_long_rows; k += stride) {
    const std::int64_t first = rows.first_segments[k];
    const double sum =
        detail::sum_of_segments(segment_sums + first, rows.first_segments[k + 1] - first, mask);
    if (detail::lane_of_group() == 0) consume(rows.long_rows[k], sum);
  }
}

}  // namespace warpgraph::cuda
