// The blocked method on CPU cores. Panel tiles are packed when they are computed, once for all the
// tiles that use them.
#pragma once

#include "algorithms/apsp/apsp.hpp"
#include "algorithms/apsp/tiles/tile_arithmetic.hpp"
#include "core/error.hpp"
#include "core/threads/parallel.hpp"

#include <atomic>

namespace warpgraph::apsp_detail {

/// Relaxations of a round that pay for another thread: some tens of microseconds.
inline constexpr std::int64_t min_relaxations_per_thread = 1 << 20;

template <Accumulator acc>
class BlockedFloyd {
 public:
  using Value = AccumulatorValue<acc>;

  /// `negative` tells whether some arcs have negative weights.
  BlockedFloyd(MatrixView<Value> matrix, vertex_t tile, bool negative)
      : matrix_(matrix),
        n_(matrix.rows),
        tile_(tile),
        n_tiles_((n_ + tile_ - 1) / tile_),
        arithmetic_(tile, negative),
        threads_(n_useful_threads(n_, tile)),
        group_(std::clamp<std::int64_t>(n_tiles_ * n_tiles_ / (8 * threads_), 1,
                                        max_group * 64 / tile_)),
        diagonal_(tile_area()),
        diagonal_left_(tile_area()),
        diagonal_right_(tile_area()),
        panel_left_(n_tiles_ * tile_area()),
        panel_right_(n_tiles_ * tile_area()),
        scratch_(threads_ * tile_area()) {}

  /// Returns the bytes that the work takes beside the matrix.
  static std::size_t bytes(std::int64_t n_vertices, vertex_t tile) {
    const std::int64_t tiles = (n_vertices + tile - 1) / tile;
    const std::int64_t packed = 2 * tiles + 3 + n_useful_threads(n_vertices, tile);
    return static_cast<std::size_t>(packed * tile * tile) * sizeof(Value);
  }

  /// Turns the initial matrix into distances. Throws NegativeCycle.
  void run() {
    run_team(static_cast<int>(threads_), [&](const Team& team) {
      // A thread that fails still passes all barriers, as the others do, but no thread takes tasks
      // any more.
      if (team.rank() == 0) team.guard([&] { close_diagonal(0); });
      team.barrier();
      for (std::int64_t round = 0; round < n_tiles_; ++round) {
        if (team.rank() == 0) next_remaining_ = 0;
        run_tasks(team, next_panel_, 2 * n_tiles_, [&](std::int64_t task) {
          relax_panel_tile(round, task / 2, task % 2 == 0,
                           scratch_.data() + team.rank() * tile_area());
        });
        team.barrier();
        if (team.rank() == 0) next_panel_ = 0;
        run_tasks(team, next_remaining_, 1 + n_tiles_ * groups(), [&](std::int64_t task) {
          if (task == 0) {
            close_next_diagonal(round);
          } else {
            relax_remaining_group(round, (task - 1) / groups(), (task - 1) % groups());
          }
        });
        team.barrier();
      }
    });
    report_progress(n_progress_steps(), n_progress_steps());
  }

 private:
  /// The most tiles of side 64 in one task: 50 microseconds with eight-byte values, and their 256
  /// KiB of the right operand fit any second-level cache.
  static constexpr std::int64_t max_group = 8;

  static std::int64_t n_useful_threads(std::int64_t n_vertices, vertex_t tile) {
    const std::int64_t relaxations_per_round = n_vertices * n_vertices * tile;
    return std::clamp<std::int64_t>(relaxations_per_round / min_relaxations_per_thread, 1,
                                    num_threads());
  }
  [[nodiscard]] std::int64_t tile_area() const { return tile_ * tile_; }
  [[nodiscard]] std::int64_t groups() const { return (n_tiles_ + group_ - 1) / group_; }
  [[nodiscard]] std::int64_t side(std::int64_t tile) const {
    return std::min(tile_, n_ - tile * tile_);
  }
  [[nodiscard]] MatrixView<Value> tile_at(std::int64_t row, std::int64_t column) const {
    return matrix_.submatrix(row * tile_, column * tile_, side(row), side(column));
  }

  template <class Work>
  void run_tasks(const Team& team, std::atomic<std::int64_t>& next_task, std::int64_t n_tasks,
                 Work&& work) {
    team.guard([&] {
      while (!team.stopping()) {
        if (team.rank() == 0) {
          report_progress(done_.load(std::memory_order_relaxed), n_progress_steps());
        }
        const std::int64_t task = next_task.fetch_add(1, std::memory_order_relaxed);
        if (task >= n_tasks) break;
        work(task);
      }
    });
  }

  /// Returns the steps of progress, which are groups of tiles.
  [[nodiscard]] std::int64_t n_progress_steps() const { return n_tiles_ * n_tiles_ * groups(); }

  void close_diagonal(std::int64_t round) {
    const MatrixView<Value> diagonal = tile_at(round, round);
    Value* const closed = diagonal_.data();
    std::fill_n(closed, tile_area(), TileArithmetic<acc>::unreachable);
    for (std::int64_t i = 0; i < diagonal.rows; ++i) {
      std::copy_n(diagonal.row(i), diagonal.columns, closed + i * tile_);
    }
    const vertex_t on_cycle = arithmetic_.close(closed, static_cast<vertex_t>(diagonal.rows));
    if (on_cycle != no_vertex) {
      throw NegativeCycle(static_cast<vertex_t>(round * tile_ + on_cycle));
    }
    for (std::int64_t i = 0; i < diagonal.rows; ++i) {
      std::copy_n(closed + i * tile_, diagonal.columns, diagonal.row(i));
    }
    arithmetic_.pack_left(diagonal, diagonal_left_.data());
    arithmetic_.pack_right(diagonal, diagonal_right_.data());
  }

  /// Closes the next round's pivot tile before the other tiles are updated, so that no thread waits
  /// for it.
  void close_next_diagonal(std::int64_t round) {
    const std::int64_t next = round + 1;
    if (next == n_tiles_) return;
    relax_remaining_tile(round, next, next);
    close_diagonal(next);
  }

  /// Updates a tile of the pivot's row or column. Its old entries are the product's other operand.
  void relax_panel_tile(std::int64_t round, std::int64_t tile, bool of_row, Value* scratch) {
    if (tile == round) return;
    if (of_row) {
      const MatrixView<Value> c = tile_at(round, tile);
      arithmetic_.pack_right(c, scratch);
      arithmetic_.multiply(c, diagonal_left_.data(), scratch, side(round));
      arithmetic_.pack_right(c, panel_right_.data() + tile * tile_area());
    } else {
      const MatrixView<Value> c = tile_at(tile, round);
      arithmetic_.pack_left(c, scratch);
      arithmetic_.multiply(c, scratch, diagonal_right_.data(), side(round));
      arithmetic_.pack_left(c, panel_left_.data() + tile * tile_area());
    }
  }

  /// Updates a tile that is neither in the pivot's row nor in its column.
  void relax_remaining_tile(std::int64_t round, std::int64_t row, std::int64_t column) {
    arithmetic_.multiply(tile_at(row, column), panel_left_.data() + row * tile_area(),
                         panel_right_.data() + column * tile_area(), side(round));
  }

  /// Updates a group of tiles in a row, except those that have been updated already.
  void relax_remaining_group(std::int64_t round, std::int64_t row, std::int64_t group) {
    const std::int64_t last = std::min((group + 1) * group_, n_tiles_);
    for (std::int64_t column = group * group_; column < last && row != round; ++column) {
      const bool is_next_diagonal = row == round + 1 && column == row;
      if (column != round && !is_next_diagonal) relax_remaining_tile(round, row, column);
    }
    done_.fetch_add(1, std::memory_order_relaxed);
  }

  const MatrixView<Value> matrix_;
  const std::int64_t n_;
  const std::int64_t tile_;
  const std::int64_t n_tiles_;
  const TileArithmetic<acc> arithmetic_;
  const std::int64_t threads_;
  const std::int64_t group_;
  AlignedBuffer<Value> diagonal_;  // the closed pivot tile, and below packed as either operand
  AlignedBuffer<Value> diagonal_left_;
  AlignedBuffer<Value> diagonal_right_;
  AlignedBuffer<Value> panel_left_;   // the packed tiles of the pivot's column
  AlignedBuffer<Value> panel_right_;  // the packed tiles of the pivot's row
  AlignedBuffer<Value> scratch_;      // a tile for each thread
  // Counters from which idle threads claim tasks.
  alignas(line_bytes) std::atomic<std::int64_t> next_panel_{0};
  alignas(line_bytes) std::atomic<std::int64_t> next_remaining_{0};
  alignas(line_bytes) std::atomic<std::int64_t> done_{0};
};

}  // namespace warpgraph::apsp_detail
