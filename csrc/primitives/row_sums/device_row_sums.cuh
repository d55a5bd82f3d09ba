// sum_rows() on a device, with the sums of row_sums.hpp bit for bit, inside a cooperative kernel.
//
// A warp takes 32 consecutive rows, one per thread. A thread sums its row if it is short. Medium
// rows are summed by groups of eight threads, and their sums given to the row's own thread [1]. The
// segments of long rows are summed by such groups, too; after a barrier of the grid their sums are
// added. Warps do not wait for one another, which hides latencies better than blocks that load the
// values of many rows into shared memory. Each class of rows has a loop of its own: a kernel with
// 1024 threads per multiprocessor has 64 registers, and they suffice for one loop that reads ahead.
//
// [1] Bell, Garland: Implementing sparse matrix-vector multiplication on throughput-oriented
//     processors. SC 2009.
#pragma once

#include "core/cuda/warp.cuh"
#include "primitives/row_sums/device_row_classes.cuh"
#include "primitives/row_sums/staged_rows.cuh"

#include <cooperative_groups.h>

namespace warpgraph::cuda {

namespace detail {

inline constexpr int groups_per_warp = warp_lanes / sum_lanes;
inline constexpr int max_warps = 32;  // upper bound on the warps of a block

__device__ inline int lane_of_group() { return lane() % sum_lanes; }
__device__ inline int group_of_warp() { return lane() / sum_lanes; }

/// Returns the sum of the lanes of each group, in its first lane. The lanes of `mask` call it.
__device__ inline double sum_of_lanes(double value, unsigned mask) {
#pragma unroll
  for (int step = sum_lanes / 2; step > 0; step /= 2) {
    value += __shfl_down_sync(mask, value, step, sum_lanes);
  }
  return value;
}

/// Up to four consecutive arcs, which one thread reads together. Heads are loaded one iteration
/// before the values that depend on them, so that the reads of both are in flight together. In
/// place of arcs that do not exist, others are read: if reads were conditional, the compiler would
/// make branches, or moves that wait for the heads. The graph must have an arc.
struct ArcQuad {
  edge_t first;
  int n;
  vertex_t heads[4];

  __device__ ArcQuad(const CsrPattern& graph, edge_t first, int n)
      : first(n > 0 ? first : 0), n(n) {
#pragma unroll
    for (int k = 0; k < 4; ++k) heads[k] = __ldcs(graph.heads + position(k));
  }
  /// Calls add(k, value) for k < 4. The values of arcs that do not exist are 0.
  template <class Value, class Add>
  __device__ void add_values(const Value& value, const Add& add) const {
    double values[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) values[k] = value(heads[k], position(k));
#pragma unroll
    for (int k = 0; k < 4; ++k) add(k, k < n ? values[k] : 0.0);
  }

 private:
  [[nodiscard]] __device__ edge_t position(int k) const { return k < n ? first + k : first; }
};

/// Returns the sum of a row of up to 8 values, by one thread. The first four heads have been
/// loaded.
template <class Value>
__device__ double sum_of_few(const CsrPattern& graph, const Value& value, const ArcQuad& row) {
  double sums[4] = {};
  const auto add = [&](int k, double loaded) { sums[k] += loaded; };
  row.add_values(value, add);
  if (row.n > 4) ArcQuad(graph, row.first + 4, row.n - 4).add_values(value, add);
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

/// Up to 32 arcs of a row or a segment, which a group reads together, four per lane.
struct Chunk {
  static constexpr int max_arcs = 4 * sum_lanes;
  edge_t first;
  int n;         // 0: there are no more
  bool is_last;  // true for the last chunk of the row or the segment
  int id;        // of the row or the segment

  /// Makes the chunk of `all` that begins at `offset`.
  __device__ Chunk(RowSegment all, int offset, int id)
      : first(all.n > 0 ? all.first + offset : 0),
        n(min(all.n - offset, max_arcs)),
        is_last(offset + max_arcs >= all.n),
        id(id) {}

  __device__ void load_heads(const CsrPattern& graph, vertex_t (&heads)[4]) const {
    const vertex_t* const from = graph.heads + first;
#pragma unroll
    for (int k = 0; k < 4; ++k) heads[k] = __ldcs(from + offset(k));
  }
  template <class Value>
  __device__ void add_values(const Value& value, const vertex_t (&heads)[4], double& sum) const {
    double values[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) values[k] = value(heads[k], first + offset(k));
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (place(k) < n) sum += values[k];
    }
  }

 private:
  __device__ static int place(int k) { return lane_of_group() + k * sum_lanes; }
  /// Returns the offset of the lane's k-th arc. Behind the last arc it is that of the last one:
  /// reads are not conditional, as in ArcQuad.
  [[nodiscard]] __device__ int offset(int k) const { return min(place(k), max(n - 1, 0)); }
};

/// Calls take(id, sum) for the rows or segments whose chunks next() gives to the group, in the
/// first lane of the group. All lanes of a warp call it and next().
template <class Value, class Next, class Take>
__device__ void sum_chunks(const CsrPattern& graph, const Value& value, Next&& next,
                           const Take& take) {
  Chunk chunk = next();
  vertex_t heads[4];
  chunk.load_heads(graph, heads);
  double sum = 0;
  while (__any_sync(all_lanes, chunk.n > 0) != 0) {
    const Chunk following = next();
    vertex_t following_heads[4];
    following.load_heads(graph, following_heads);
    chunk.add_values(value, heads, sum);
    const double of_lanes = sum_of_lanes(sum, all_lanes);
    if (chunk.is_last) {
      if (chunk.n > 0 && lane_of_group() == 0) take(chunk.id, of_lanes);
      sum = 0;
    }
    chunk = following;
#pragma unroll
    for (int k = 0; k < 4; ++k) heads[k] = following_heads[k];
  }
}

/// The chunks of segments s, s + stride, .. for a group.
class SegmentChunks {
 public:
  __device__ SegmentChunks(const RowClasses::View& rows, int s, int stride)
      : rows_(rows), s_(s), stride_(stride), segment_(at(s)), next_(at(s + stride)) {}

  __device__ Chunk operator()() {
    const Chunk chunk(segment_, offset_, s_);
    offset_ += Chunk::max_arcs;
    if (chunk.is_last) {
      offset_ = 0;
      s_ += stride_;
      segment_ = next_;
      next_ = at(s_ + stride_);
    }
    return chunk;
  }

 private:
  [[nodiscard]] __device__ RowSegment at(int s) const {
    return s < rows_.n_segments ? rows_.segments[s] : RowSegment{0, 0};
  }

  const RowClasses::View& rows_;
  int s_;
  const int stride_;
  RowSegment segment_;
  RowSegment next_;  // the next segment, read ahead
  int offset_ = 0;
};

/// The chunks of some rows of a warp's lanes. Groups take these rows in turns.
class RowChunks {
 public:
  /// Makes the chunks of the lanes' rows; `rows` are the lanes whose rows are summed. A group takes
  /// every fourth of these rows.
  __device__ RowChunks(RowSegment own, unsigned rows) : own_(own) {
    const int rank = __popc(rows & lanemask_lt());
    const unsigned odd = __ballot_sync(all_lanes, (rank & 1) != 0);
    const unsigned upper = __ballot_sync(all_lanes, (rank & 2) != 0);
    static_assert(groups_per_warp == 4);
    rest_ = rows & ((group_of_warp() & 1) != 0 ? odd : ~odd) &
            ((group_of_warp() & 2) != 0 ? upper : ~upper);
  }

  __device__ Chunk operator()() {
    const int owner = rest_ != 0 ? first_lane(rest_) : 0;
    const RowSegment row{__shfl_sync(all_lanes, own_.first, owner),
                         __shfl_sync(all_lanes, own_.n, owner)};
    const Chunk chunk({row.first, rest_ != 0 ? row.n : 0}, offset_, owner);
    offset_ = chunk.is_last ? 0 : offset_ + Chunk::max_arcs;
    if (chunk.is_last) rest_ &= rest_ - 1;
    return chunk;
  }

 private:
  const RowSegment own_;
  unsigned rest_;  // lanes of the group's remaining rows, from the next one on
  int offset_ = 0;
};

/// Returns the sum of n sums of segments, in the first lane of a group, whose lanes are `mask`.
/// Overwrites the sums: those of a level take the place of values that have been added.
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

/// Returns the arcs of row u, -1 of them if there is no such row. For a long row their number is
/// segment_values + 1.
__device__ inline RowSegment row_at(const CsrPattern& graph, std::uint32_t u) {
  if (u >= static_cast<std::uint32_t>(graph.n_vertices)) return {0, -1};
  const edge_t begin = graph.offsets[u];
  return {begin, static_cast<int>(min(graph.offsets[u + 1] - begin, segment_values + 1))};
}

/// The rows u, u + stride, .. of a lane. Numbers are unsigned: there is room for those of rows read
/// ahead.
struct OwnRows {
  std::uint32_t u = static_cast<std::uint32_t>(global_index());
  std::uint32_t stride = gridDim.x * blockDim.x;

  /// Returns whether a lane of the warp has a row.
  [[nodiscard]] __device__ bool has_more(const CsrPattern& graph) const {
    return u - lane() < static_cast<std::uint32_t>(graph.n_vertices);
  }
};

/// Sums short rows. Offsets are read two rows ahead, and the first heads one row ahead.
template <class Value, class Consumer>
__device__ void sum_short_rows(const CsrPattern& graph, const Value& value,
                               const Consumer& consumer) {
  const auto arcs_of = [&](RowSegment row) {
    return ArcQuad(graph, row.first, row.n <= sum_lanes ? row.n : -1);
  };
  OwnRows own;
  ArcQuad arcs = arcs_of(row_at(graph, own.u));
  RowSegment next = row_at(graph, own.u + own.stride);
  for (; own.has_more(graph); own.u += own.stride) {
    const RowSegment after_next = row_at(graph, own.u + 2 * own.stride);
    const ArcQuad next_arcs = arcs_of(next);
    if (arcs.n >= 0) {
      const auto u = static_cast<vertex_t>(own.u);
      const auto loaded = consumer.load(u);
      const double sum = sum_of_few(graph, value, arcs);
      consumer(u, arcs.n, loaded, sum);
    }
    arcs = next_arcs;
    next = after_next;
  }
}

/// Passes the sum 0 for each row of a graph without arcs.
template <class Consumer>
__device__ void consume_empty_rows(const CsrPattern& graph, const Consumer& consumer) {
  for (OwnRows own; own.u < static_cast<std::uint32_t>(graph.n_vertices); own.u += own.stride) {
    const auto u = static_cast<vertex_t>(own.u);
    consumer(u, 0, consumer.load(u), 0);
  }
}

/// Returns row u and its octet, which may be staged. All lanes of a warp call it for their rows.
__device__ inline OctetRow octet_row(const CsrPattern& graph, std::uint32_t u) {
  const RowSegment row = row_at(graph, u);
  return {row.n < 0 ? graph.n_arcs : row.first, row.n};
}

/// Sums the rows of all octets that are staged.
template <class Value, class Consumer>
__device__ void sum_staged_rows(const CsrPattern& graph, const Value& value,
                                const Consumer& consumer, OctetStages& stages) {
  // Heads are read beyond the end of a row, too: those of earlier octets, or vertex 0.
  for (int i = lane(); i < stage_heads; i += warp_lanes) {
    stages.heads[0][i] = 0;
    stages.heads[1][i] = 0;
  }
  __syncwarp();
  OwnRows own;
  OctetRow row = octet_row(graph, own.u);
  row.stage(graph, 0, stages.heads[0]);
  int stage = 0;
  for (; own.has_more(graph); own.u += own.stride) {
    const OctetRow next = octet_row(graph, own.u + own.stride);
    const auto u = static_cast<vertex_t>(own.u);
    const bool is_summed = row.degree >= 0 && row.is_staged();
    const auto loaded = is_summed ? consumer.load(u) : decltype(consumer.load(u)){};
    double sum = 0;
#pragma unroll 1
    for (int k = 0; k < octets_per_warp; ++k) {
      vertex_t* const following = stages.heads[stage ^ 1];
      if (k + 1 < octets_per_warp) {
        row.stage(graph, k + 1, following);
      } else {
        next.stage(graph, 0, following);
      }
      __pipeline_wait_prior(1);
      __syncwarp();
      if (row.is_staged(k)) {
        const double of_octet = row.sum(graph, value, k, stages.heads[stage]);
        if (lane() / octet_rows == k) sum = of_octet;
      }
      __syncwarp();
      stage ^= 1;
    }
    if (is_summed) consumer(u, row.degree, loaded, sum);
    row = next;
  }
  __pipeline_wait_prior(0);
}

/// Sums the rows of more than `longest_short` values that are not long and whose octets are not
/// staged. Offsets are read one row ahead.
template <bool stages_octets, class Value, class Consumer>
__device__ void sum_medium_rows(const CsrPattern& graph, int longest_short, const Value& value,
                                const Consumer& consumer) {
  __shared__ double sums_by_groups[max_warps][warp_lanes];
  double* const sums = sums_by_groups[threadIdx.x / warp_lanes];
  OwnRows own;
  for (RowSegment row = row_at(graph, own.u), next{}; own.has_more(graph);
       own.u += own.stride, row = next) {
    next = row_at(graph, own.u + own.stride);
    bool is_medium = row.n > longest_short && row.n <= segment_values;
    if constexpr (stages_octets) {
      const bool is_staged = octet_row(graph, own.u).is_staged();  // the same for all lanes
      is_medium = is_medium && !is_staged;
    }
    if (__any_sync(all_lanes, is_medium) == 0) continue;
    const auto u = static_cast<vertex_t>(own.u);
    const auto loaded = is_medium ? consumer.load(u) : decltype(consumer.load(u)){};
    sums[lane()] = 0;
    __syncwarp();
    sum_chunks(graph, value, RowChunks(row, __ballot_sync(all_lanes, is_medium && row.n > 0)),
               [&](int lane, double sum) { sums[lane] = sum; });
    __syncwarp();
    if (is_medium) consumer(u, row.n, loaded, sums[lane()]);
  }
}

}  // namespace detail

/// Calls consumer(row, degree, consumer.load(row), sum) once for each row, on some thread. load()
/// is called before values are read, so that the reads of both overlap. All threads of a
/// cooperative grid of blocks of whole warps call it. `segment_sums` has n_segments places. A
/// barrier of the grid must come before the next call. With `stages_octets`, which is faster if
/// `rows` says so, `stages` belongs to the warp.
template <bool stages_octets, class Value, class Consumer>
__device__ void sum_rows(const CsrPattern& graph, const RowClasses::View& rows, const Value& value,
                         const Consumer& consumer, double* segment_sums, OctetStages* stages) {
  if (graph.n_arcs == 0) return detail::consume_empty_rows(graph, consumer);
  const auto n_groups = static_cast<int>(n_global_warps() * detail::groups_per_warp);
  const auto group = static_cast<int>(global_index() / sum_lanes);
  if (rows.n_segments > 0) {
    detail::sum_chunks(graph, value, detail::SegmentChunks(rows, group, n_groups),
                       [&](int s, double sum) { segment_sums[s] = sum; });
  }
  if constexpr (stages_octets) {
    detail::sum_staged_rows(graph, value, consumer, *stages);
    if (rows.has_unstaged) detail::sum_medium_rows<true>(graph, -1, value, consumer);
  } else {
    if (rows.has_medium) {
      detail::sum_medium_rows<false>(graph, rows.longest_short, value, consumer);
    }
    if (rows.longest_short >= 0) detail::sum_short_rows(graph, value, consumer);
  }
  if (rows.n_long_rows == 0) return;
  cooperative_groups::this_grid().sync();
  const unsigned mask = ((1u << sum_lanes) - 1) << (lane() - detail::lane_of_group());
  for (int k = group; k < rows.n_long_rows; k += n_groups) {
    const std::int64_t begin = rows.first_segments[k];
    const std::int64_t n = rows.first_segments[k + 1] - begin;
    const vertex_t u = rows.long_rows[k];
    const auto loaded = consumer.load(u);
    const double sum = detail::sum_of_segments(segment_sums + begin, n, mask);
    if (detail::lane_of_group() == 0) consumer(u, graph.degree(u), loaded, sum);
  }
}

}  // namespace warpgraph::cuda
