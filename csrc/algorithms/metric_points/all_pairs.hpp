// Comparison of queries with all points, block by block, on all threads.
#pragma once

#include "core/threads/parallel.hpp"
#include "primitives/metric/column_blocks.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace warpgraph {

/// Queries of a tile, which share a block of points while it is in the cache.
inline constexpr std::int64_t queries_of_tile = 16;

/// Calls compare(state, first, last) for the tiles of n queries, each between state.begin(first,
/// last) and state.end(). Each block of the parallel loop has its own copy of `prototype` as the
/// state. Reports progress from `done` to done + n of `total`.
template <class State, class Compare>
void for_each_tile(std::int64_t n, const State& prototype, std::int64_t done, std::int64_t total,
                   const Compare& compare) {
  std::atomic<std::int64_t> finished{done};
  parallel_blocks(n, queries_of_tile, [&](int, std::int64_t first, std::int64_t last) {
    State state = prototype;
    for (std::int64_t i = first; i < last; i += queries_of_tile) {
      const std::int64_t end = std::min(last, i + queries_of_tile);
      state.begin(i, end);
      compare(state, i, end);
      state.end();
    }
    report_progress(finished.fetch_add(last - first, std::memory_order_relaxed), total);
  });
  report_progress(done + n, total);
}

/// Compares queries with all points. Rows: NumberRows or BitRows.
template <class Rows>
class AllPairs {
 public:
  using Item = typename Rows::Item;

  AllPairs(const Rows& points, const Rows& queries, const Metric& metric)
      : n_points_(points.n_points), queries_(queries), blocks_(make_point_blocks(points, metric)) {}

  static std::size_t bytes(const Rows& points) {
    return PointBlocks<Item>::bytes(points.n_points, points.dimension) +
           at(num_threads()) * queries_of_tile * at(points.dimension) * sizeof(Item);
  }

  /// Calls state.visit(q, id, distance) for the pairs with distances of at most state.limit(q),
  /// where q counts the queries of a tile from 0 and `id` is a point; and begin() and end() for
  /// each tile, as for_each_tile does.
  template <class State>
  void run(const State& prototype, std::int64_t done, std::int64_t total) const {
    for_each_tile(queries_.n_points, prototype, done, total,
                  [&](State& state, std::int64_t first, std::int64_t last) {
                    compare(state, tile_of(first, last), last - first);
                  });
  }

 private:
  [[nodiscard]] std::vector<Item> tile_of(std::int64_t first, std::int64_t last) const {
    const std::int64_t width = queries_.dimension;
    std::vector<Item> tile(at((last - first) * width));
    for (std::int64_t i = first; i < last; ++i) {
      Item* const place = tile.data() + (i - first) * width;
      const Item* const row = queries_.row(i, place);
      if (row != place) std::copy_n(row, width, place);
    }
    return tile;
  }

  template <class State>
  void compare(State& state, const std::vector<Item>& tile, std::int64_t n_queries) const {
    BlockDistances distances;
    for (std::int64_t block = 0; block < PointBlocks<Item>::n_blocks(n_points_); ++block) {
      if (block % 64 == 63) poll();
      const std::int64_t first = block * block_lanes;
      const std::int64_t count = std::min(block_lanes, n_points_ - first);
      for (std::int64_t q = 0; q < n_queries; ++q) {
        blocks_->distances(tile.data() + q * queries_.dimension, block, distances);
        for (std::int64_t j = 0; j < count; ++j) {
          const double distance = distances[at(j)];
          if (distance <= state.limit(q)) {
            state.visit(q, static_cast<vertex_t>(first + j), distance);
          }
        }
      }
    }
  }

  vertex_t n_points_;
  Rows queries_;
  std::unique_ptr<PointBlocks<Item>> blocks_;
};

}  // namespace warpgraph
