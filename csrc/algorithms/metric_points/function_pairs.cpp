#include "algorithms/metric_points/function_pairs.hpp"

#include "core/containers/at.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace warpgraph {
namespace {

/// Points on each side of a tile: two cache lines of distances.
constexpr vertex_t tile_points = 16;

/// Calls between two checks for Ctrl-C. One takes nanoseconds or, at worst, milliseconds.
constexpr vertex_t calls_per_check = 64;

/// Runs parts of the work on all threads, each of which returns the first pair that it refuses.
/// The result is that of the first part that has one, with any number of threads.
template <class Part>
RefusedPair first_refused(std::int64_t n_parts, std::int64_t total, Part&& part) {
  std::vector<RefusedPair> refused(static_cast<std::size_t>(n_parts));
  std::atomic<std::int64_t> first{n_parts};
  parallel_tasks(n_parts, num_threads(), total, [&](const TaskContext& context, std::int64_t i) {
    if (first.load(std::memory_order_relaxed) < i) return;
    refused[at(i)] = part(context, i);
    if (refused[at(i)].first == no_vertex) return;
    std::int64_t known = first.load(std::memory_order_relaxed);
    while (i < known && !first.compare_exchange_weak(known, i, std::memory_order_relaxed)) {
    }
  });
  const std::int64_t found = first.load(std::memory_order_relaxed);
  return found < n_parts ? refused[at(found)] : RefusedPair{};
}

/// The upper half of a matrix, whose tiles are mirrored.
class Mirrored {
 public:
  Mirrored(PointsView<double> points, DistanceFunction distance, std::span<double> matrix)
      : points_(points), distance_(distance), matrix_(matrix) {}

  /// Computes the pairs of the points first..last with each other and with later points.
  RefusedPair rows(const TaskContext& context, vertex_t first, vertex_t last) const {
    for (vertex_t column = first; column < points_.n_points; column += tile_points) {
      const vertex_t end = std::min<std::int64_t>(column + tile_points, points_.n_points);
      std::int64_t done = 0;
      for (vertex_t i = first; i < last; ++i) {
        if (i % (calls_per_check / tile_points) == 0 && !context.keep_on()) return {};
        const vertex_t from = std::max(column, i + 1);
        for (vertex_t j = from; j < end; ++j) {
          const double found = distance_(points_.row(i), points_.row(j), points_.dimension);
          place(i, j) = found + 0.0;  // no -0
          if (!(found >= 0)) return {i, j};
        }
        done += std::max(end - from, 0);
      }
      context.finish(done);
      mirror(first, last, column, end);
    }
    for (vertex_t i = first; i < last; ++i) place(i, i) = 0;
    return {};
  }

 private:
  [[nodiscard]] double& place(vertex_t row, vertex_t column) const {
    return matrix_[at(static_cast<std::int64_t>(row) * points_.n_points + column)];
  }

  void mirror(vertex_t first, vertex_t last, vertex_t column, vertex_t end) const {
    for (vertex_t j = column; j < end; ++j) {
      for (vertex_t i = first; i < std::min(last, j); ++i) place(j, i) = place(i, j);
    }
  }

  PointsView<double> points_;
  DistanceFunction distance_;
  std::span<double> matrix_;
};

}  // namespace

RefusedPair matrix_by_function(PointsView<double> points, DistanceFunction distance,
                               std::span<double> matrix) {
  const vertex_t n = points.n_points;
  const Mirrored upper(points, distance, matrix);
  const std::int64_t n_parts = (static_cast<std::int64_t>(n) + tile_points - 1) / tile_points;
  const std::int64_t n_pairs = static_cast<std::int64_t>(n) * (n - 1) / 2;
  return first_refused(n_parts, n_pairs, [&](const TaskContext& context, std::int64_t part) {
    const auto first = static_cast<vertex_t>(part * tile_points);
    const auto last = static_cast<vertex_t>(std::min<std::int64_t>(first + tile_points, n));
    return upper.rows(context, first, last);
  });
}

RefusedPair distances_by_function(PointsView<double> points, PointsView<double> queries,
                                  DistanceFunction distance, std::span<double> distances) {
  const vertex_t n = points.n_points;
  const std::int64_t total = static_cast<std::int64_t>(queries.n_points) * n;
  const auto row = [&](const TaskContext& context, std::int64_t query) -> RefusedPair {
    for (vertex_t j = 0; j < n; ++j) {
      if (j % calls_per_check == 0 && !context.keep_on()) return {};
      const double found = distance(queries.row(query), points.row(j), points.dimension);
      distances[at(query * n + j)] = found + 0.0;  // no -0
      if (!(found >= 0)) return {static_cast<vertex_t>(query), j};
    }
    context.finish(n);
    return {};
  };
  return first_refused(queries.n_points, total, row);
}

}  // namespace warpgraph
