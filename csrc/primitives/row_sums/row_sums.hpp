// Sums over the arcs of each row: of value(head, position) over the arcs of u. For example, the sum
// of weights of a vertex, or a product of a sparse matrix and a vector.
//
// The order of additions depends on the number of arcs of the row alone, not on threads, device or
// other rows. So sums are the same everywhere, except for the sign of 0. That order is:
//
//   Up to 256 values, a segment: lane l of 8 adds values l, l + 8, .. from left to right, from 0
//     on. Then, for step = 4, 2, 1, lanes l < step add the sum of lane l + step [1].
//   More: each segment of 256 values (the last may be shorter) as above, and then the sums of the
//     segments as values of one row.
//
// A segment takes 35 additions one after the other, and so does each level of 256 times as many
// values. So the error grows with the logarithm of the degree, as that of pairwise summation does
// [2]. Eight lanes suit both sides: on a CPU core four vectors of two numbers hide the latency of
// an addition, and on a device eight threads read 32 consecutive bytes of heads.
//
// Long rows are divided among threads, so the time does not depend on the largest degree.
//
// [1] Harris: Optimizing parallel reduction in CUDA. NVIDIA 2007.
// [2] Higham: The accuracy of floating point summation. SIAM J. Sci. Comput. 14, 1993.
#pragma once

#include "core/function_ref.hpp"
#include "core/processor/vectors.hpp"
#include "graph/transform/row_blocks.hpp"

#include <array>
#include <mutex>
#include <span>
#include <vector>

namespace warpgraph {

/// The lanes in which the values of a segment are added.
inline constexpr int sum_lanes = 8;
/// The most values of a segment.
inline constexpr std::int64_t segment_values = 256;

[[nodiscard]] WARPGRAPH_HOST_DEVICE constexpr std::int64_t segments_of(std::int64_t n) {
  return (n + segment_values - 1) / segment_values;
}

namespace detail {

/// Two values in a register of every x86-64 and ARMv8 processor.
using SumPair = VectorOf<double, 16>::type;
using MaskPair = VectorOf<std::int64_t, 16>;

/// Masks of lanes: the one that begins at item 8 - n has its first n lanes set.
inline constexpr std::array<std::int64_t, 2 * sum_lanes> lane_masks{-1, -1, -1, -1, -1, -1, -1, -1};

/// Returns the values `lane` and lane + 1, or 0 for those that are not among the first n <= 8.
template <class ValueAt>
[[gnu::always_inline]] inline SumPair masked_pair(std::int64_t n, std::int64_t lane,
                                                  const ValueAt& value_at) {
  const SumPair pair{value_at(lane), value_at(lane + 1)};
  const auto* const mask = lane_masks.data() + (sum_lanes - n + lane);
  return reinterpret_cast<SumPair>(reinterpret_cast<MaskPair::type>(pair) &
                                   *reinterpret_cast<const MaskPair::unaligned*>(mask));
}

/// Adds value_at(0), .., value_at(n - 1), n <= segment_values. Also calls value_at for up to 7
/// values after them, and drops the results: the end of a loop over a short row, or a branch per
/// value, would often be mispredicted, which took half of the time on road networks.
template <class ValueAt>
[[gnu::always_inline]] inline double sum_segment_overreading(std::int64_t n,
                                                             const ValueAt& value_at) {
  if (n <= sum_lanes / 2) {
    const SumPair two = masked_pair(n, 0, value_at) + masked_pair(n, 2, value_at);
    return two[0] + two[1];
  }
  SumPair lanes[sum_lanes / 2]{};
  std::int64_t first = 0;
  for (; first + sum_lanes < n; first += sum_lanes) {
    for (std::int64_t k = 0; k < sum_lanes / 2; ++k) {
      const std::int64_t i = first + 2 * k;
      lanes[k] += SumPair{value_at(i), value_at(i + 1)};
    }
  }
  const auto rest = [&](std::int64_t i) { return value_at(first + i); };
  for (std::int64_t k = 0; k < sum_lanes / 2; ++k) {
    lanes[k] += masked_pair(n - first, 2 * k, rest);
  }
  const SumPair two = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
  return two[0] + two[1];
}

/// Adds value_at(0), .., value_at(n - 1) without calls for values after the segment.
template <class ValueAt>
double sum_segment_exactly(std::int64_t n, const ValueAt& value_at) {
  std::array<double, sum_lanes> l{};
  for (std::int64_t i = 0; i < n; ++i) l[static_cast<std::size_t>(i % sum_lanes)] += value_at(i);
  return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]));
}

template <bool may_overread, class ValueAt>
[[gnu::always_inline]] inline double sum_segment(std::int64_t n, const ValueAt& value_at) {
  if constexpr (may_overread) return sum_segment_overreading(n, value_at);
  return sum_segment_exactly(n, value_at);
}

/// Returns the sum of each segment of n values, computed by all threads. `segment_sum(first,
/// count)` adds `count` values from `first` on.
template <class SegmentSum>
std::vector<double> segment_sums(std::int64_t n, const SegmentSum& segment_sum) {
  constexpr std::int64_t segments_per_block = 16;  // a few microseconds
  std::vector<double> sums(static_cast<std::size_t>(segments_of(n)));
  parallel_for(
      std::ssize(sums),
      [&](std::int64_t s) {
        const std::int64_t first = s * segment_values;
        sums[static_cast<std::size_t>(s)] = segment_sum(first, std::min(segment_values, n - first));
      },
      segments_per_block);
  return sums;
}

/// Sums of the rows of one graph.
template <class Value>
class RowSummation {
 public:
  RowSummation(const CsrPattern& graph, const Value& value) : graph_(graph), value_(value) {}

  /// Degree from which on a row is summed by all threads together. Below it, the sums of its
  /// segments are one segment at most.
  static constexpr edge_t least_shared_degree = segment_values * segment_values;
  [[nodiscard]] bool is_shared(vertex_t u) const { return graph_.degree(u) >= least_shared_degree; }

  /// Sums rows from `first` on, until `last`, until `sums` is full, or until a row that is shared.
  /// Returns their number.
  std::size_t sum_rows(vertex_t first, vertex_t last, std::span<double> sums) const {
    const vertex_t end = first + std::min(last - first, static_cast<vertex_t>(sums.size()));
    // Arcs after those of the last rows of a graph do not exist.
    return graph_.begin(end) + sum_lanes <= graph_.n_arcs ? sum_rows_by<true>(first, end, sums)
                                                          : sum_rows_by<false>(first, end, sums);
  }

  /// Returns the sum of any row, by all threads.
  [[nodiscard]] double shared_sum(vertex_t u) const {
    const edge_t begin = graph_.begin(u);
    std::vector<double> sums =
        segment_sums(graph_.degree(u), [&](std::int64_t first, std::int64_t n) {
          return sum_segment_exactly(n, values_from(begin + first));
        });
    while (sums.size() > 1) {
      sums = segment_sums(std::ssize(sums), [&](std::int64_t first, std::int64_t n) {
        const double* const values = sums.data() + first;
        return sum_segment_exactly(n, [values](std::int64_t i) { return values[i]; });
      });
    }
    return sums.front();
  }

 private:
  [[nodiscard]] auto values_from(edge_t first) const {
    return [ heads = graph_.heads, value = value_, first ](std::int64_t i)
        __attribute__((always_inline)) {
      return value(heads[first + i], first + i);
    };
  }

  template <bool may_overread>
  std::size_t sum_rows_by(vertex_t first, vertex_t last, std::span<double> sums) const {
    std::size_t count = 0;
    edge_t begin = graph_.begin(first);
    for (vertex_t u = first; u < last; ++u, ++count) {
      const edge_t end = graph_.end(u);
      const std::int64_t n = end - begin;
      if (n <= segment_values) [[likely]] {
        sums[count] = sum_segment<may_overread>(n, values_from(begin));
      } else if (!is_shared(u)) {
        sums[count] = sum_of_long_row<may_overread>(begin, n);
      } else {
        break;
      }
      begin = end;
    }
    return count;
  }

  /// Returns the sum of up to segment_values segments.
  template <bool may_overread>
  [[gnu::noinline]] double sum_of_long_row(edge_t begin, std::int64_t n) const {
    std::array<double, segment_values> sums;
    const std::int64_t n_segments = segments_of(n);
    for (std::int64_t s = 0; s < n_segments; ++s) {
      const std::int64_t first = s * segment_values;
      sums[static_cast<std::size_t>(s)] = sum_segment<may_overread>(
          std::min(segment_values, n - first), values_from(begin + first));
    }
    return sum_segment_exactly(n_segments,
                               [&](std::int64_t s) { return sums[static_cast<std::size_t>(s)]; });
  }

  const CsrPattern graph_;
  const Value value_;
};

}  // namespace detail

/// Function that takes the sums of the rows first, first + 1, ..: (thread, first, sums). Threads
/// call it concurrently.
using ConsumeSums = FunctionRef<void(int, vertex_t, std::span<const double>)>;

/// Passes the sum of each row once, in runs of rows in any order, on all threads. `value` is called
/// concurrently, also for arcs of other rows, and must have no side effects. `blocks` are those of
/// the graph.
template <class Value>
void sum_rows(const CsrPattern& graph, const RowBlocks& blocks, const Value& value,
              ConsumeSums consume) {
  constexpr std::size_t rows_at_once = 256;
  const detail::RowSummation<Value> rows(graph, value);
  std::mutex shared_mutex;
  std::vector<vertex_t> shared;  // rows that all threads sum together afterwards
  parallel_blocks(blocks.size(), 1, [&](int thread, std::int64_t block, std::int64_t) {
    std::array<double, rows_at_once> sums;
    for (vertex_t u = blocks.first_row(block), last = blocks.first_row(block + 1); u < last;) {
      const std::size_t count = rows.sum_rows(u, last, sums);
      if (count > 0) consume(thread, u, std::span<const double>(sums.data(), count));
      u += static_cast<vertex_t>(count);
      if (u == last || !rows.is_shared(u)) continue;
      const std::lock_guard lock(shared_mutex);
      shared.push_back(u++);
    }
  });
  for (const vertex_t u : shared) {
    const double sum = rows.shared_sum(u);
    consume(0, u, std::span<const double>(&sum, 1));
  }
}

/// Returns the sum of the values of row u. `value` is called as by sum_rows, from this thread
/// unless the row is very long.
template <class Value>
double sum_row(const CsrPattern& graph, vertex_t u, const Value& value) {
  const detail::RowSummation<Value> rows(graph, value);
  double sum = 0;
  return rows.sum_rows(u, u + 1, {&sum, 1}) == 1 ? sum : rows.shared_sum(u);
}

/// Returns the sum of the values of one row, by the definition above, on one thread.
inline double row_sum_reference(std::vector<double> values) {
  while (values.size() > static_cast<std::size_t>(segment_values)) {
    std::vector<double> sums;
    for (auto first = values.begin(); first != values.end();) {
      const auto last = first + std::min<std::ptrdiff_t>(segment_values, values.end() - first);
      sums.push_back(row_sum_reference(std::vector<double>(first, last)));
      first = last;
    }
    values = sums;
  }
  std::array<double, sum_lanes> lanes{};
  for (std::size_t i = 0; i < values.size(); ++i) lanes[i % lanes.size()] += values[i];
  for (std::size_t step = lanes.size() / 2; step > 0; step /= 2) {
    for (std::size_t l = 0; l < step; ++l) lanes[l] += lanes[l + step];
  }
  return lanes[0];
}

}  // namespace warpgraph
