// Reductions over the arcs of each row: result[u] = combine of value(u, head, position) over the
// arcs of u. For example, the sum of weights of a vertex, or a product of a sparse matrix and a
// vector.
//
// The order of combination depends on the number of arcs of the row alone, not on threads, device
// or other rows. So sums of floating-point numbers are the same everywhere. That order is:
//
//   Up to 16 values: from left to right, from the identity on.
//   Up to 1024 values, a segment: lane l of 32 combines values l, l + 32, .. from left to right,
//     from the identity on. Then, for step = 16, 8, 4, 2, 1, lanes l < step combine their result
//     with that of lane l + step [1].
//   More: each segment of 1024 values (the last may be shorter) as above, and then the results of
//     the segments as values of one row.
//
// The error of a floating-point sum thus grows with the logarithm of the degree beyond 1024 values.
//
// `combine` need not be commutative. It must map (identity, identity) and (x, identity) to the
// first. Long rows are divided among threads, so the time does not depend on the largest degree.
//
// [1] Harris: Optimizing parallel reduction in CUDA. NVIDIA 2007.
#pragma once

#include "graph/transform/row_blocks.hpp"

#include <array>
#include <mutex>
#include <vector>

namespace warpgraph {

inline constexpr int max_sequential_values = 16;
inline constexpr int segment_lanes = 32;
inline constexpr std::int64_t segment_values = 1024;

/// Combines value_at(0), .., value_at(n - 1), n <= segment_values.
template <class T, class ValueAt, class Combine>
T reduce_segment(std::int64_t n, const ValueAt& value_at, const Combine& combine, T identity) {
  if (n <= max_sequential_values) {
    T result = identity;
    for (std::int64_t i = 0; i < n; ++i) result = combine(result, value_at(i));
    return result;
  }
  std::array<T, segment_lanes> lanes;
  lanes.fill(identity);
  const auto combine_lanes = [&](std::int64_t first, std::size_t count) {
    for (std::size_t l = 0; l < count; ++l) {
      lanes[l] = combine(lanes[l], value_at(first + static_cast<std::int64_t>(l)));
    }
  };
  std::int64_t first = 0;
  for (; first + segment_lanes <= n; first += segment_lanes) combine_lanes(first, lanes.size());
  combine_lanes(first, static_cast<std::size_t>(n - first));
  for (std::size_t step = lanes.size() / 2; step > 0; step /= 2) {
    for (std::size_t l = 0; l < step; ++l) lanes[l] = combine(lanes[l], lanes[l + step]);
  }
  return lanes[0];
}

namespace detail {

template <class T>
struct ArrayValues {
  const T* values;
  const T& operator()(std::int64_t i) const { return values[i]; }
};

/// Combines any number of values. `for_each_segment(n, body)` calls body(i) for i in 0..n.
template <class T, class ValueAt, class Combine, class ForEachSegment>
T reduce_values(std::int64_t n, const ValueAt& value_at, const Combine& combine, T identity,
                const ForEachSegment& for_each_segment) {
  if (n <= segment_values) return reduce_segment(n, value_at, combine, identity);
  std::vector<T> results(static_cast<std::size_t>((n + segment_values - 1) / segment_values));
  for_each_segment(std::ssize(results), [&](std::int64_t s) {
    const std::int64_t first = s * segment_values;
    results[static_cast<std::size_t>(s)] = reduce_segment(
        std::min(segment_values, n - first), [&](std::int64_t i) { return value_at(first + i); },
        combine, identity);
  });
  return reduce_values(std::ssize(results), ArrayValues<T>{results.data()}, combine, identity,
                       for_each_segment);
}

}  // namespace detail

/// Writes n_vertices results, on all threads. `value` and `combine` are called concurrently.
/// `blocks` are those of the graph.
template <class T, class Value, class Combine>
void reduce_rows(const CsrPattern& graph, const RowBlocks& blocks, const Value& value,
                 const Combine& combine, T identity, T* results) {
  constexpr edge_t min_parallel_degree = 64 * segment_values;
  const auto reduce_row = [&](vertex_t u, const auto& for_each_segment) {
    const edge_t begin = graph.begin(u);
    const auto value_at = [&](std::int64_t i) {
      return value(u, graph.heads[begin + i], begin + i);
    };
    results[u] =
        detail::reduce_values(graph.degree(u), value_at, combine, identity, for_each_segment);
  };
  std::mutex adding;
  std::vector<vertex_t> hubs;
  blocks.for_each([&](std::int64_t, vertex_t first, vertex_t last) {
    for (vertex_t u = first; u < last; ++u) {
      if (graph.degree(u) >= min_parallel_degree) {
        const std::lock_guard lock(adding);
        hubs.push_back(u);
      } else {
        reduce_row(u, [](std::int64_t n, const auto& body) {
          for (std::int64_t i = 0; i < n; ++i) body(i);
        });
      }
    }
  });
  for (const vertex_t u : hubs) {
    reduce_row(u, [](std::int64_t n, const auto& body) { parallel_for(n, body, 16); });
  }
}

/// Obvious and slow: the definition above, on one thread, with copies of all values.
template <class T, class Combine>
T reduce_reference(std::vector<T> values, const Combine& combine, T identity) {
  while (values.size() > static_cast<std::size_t>(segment_values)) {
    std::vector<T> results;
    for (auto first = values.begin(); first != values.end();) {
      const auto last = first + std::min<std::ptrdiff_t>(segment_values, values.end() - first);
      results.push_back(reduce_reference(std::vector<T>(first, last), combine, identity));
      first = last;
    }
    values = results;
  }
  std::size_t n_lanes = values.size() <= static_cast<std::size_t>(max_sequential_values)
                            ? 1
                            : static_cast<std::size_t>(segment_lanes);
  std::vector<T> lanes(n_lanes, identity);
  for (std::size_t i = 0; i < values.size(); ++i) {
    lanes[i % n_lanes] = combine(lanes[i % n_lanes], values[i]);
  }
  for (; n_lanes > 1; n_lanes /= 2) {
    for (std::size_t l = 0; l < n_lanes / 2; ++l) {
      lanes[l] = combine(lanes[l], lanes[l + n_lanes / 2]);
    }
  }
  return lanes[0];
}

}  // namespace warpgraph
