// The blocked method on CPU cores. A tile's row and column are packed as they are found, once for
// all the tiles that need them.
#pragma once

#include "algorithms/apsp/apsp.hpp"
#include "algorithms/apsp/tiles/tile_arithmetic.hpp"
#include "core/error.hpp"
#include "core/threads/parallel.hpp"

#include <atomic>

namespace warpgraph::apsp_steps {

/// Fewer relaxations than this a round are not worth another thread: some tens of microseconds.
inline constexpr std::int64_t relaxations_a_thread = 1 << 19;

/// Tasks that idle threads fetch.
struct TaskQueue {
  alignas(line_bytes) std::atomic<std::int64_t> next{0};
};

template <Lane lane>
class BlockedFloyd {
 public:
  using Value = LaneValue<lane>;

  /// `negative`: some arcs are.
  BlockedFloyd(vertex_t n_vertices, vertex_t tile, Value* matrix, std::int64_t stride,
               bool negative)
      : n_(n_vertices),
        tile_(tile),
        n_tiles_((n_ + tile_ - 1) / tile_),
        matrix_(matrix),
        stride_(stride),
        arithmetic_(tile, negative),
        threads_(count_threads(n_vertices, tile)),
        group_(std::clamp<std::int64_t>(n_tiles_ * n_tiles_ / (8 * threads_), 1,
                                        most_group * 64 / tile_)),
        closed_(tile_area()),
        closed_left_(tile_area()),
        closed_right_(tile_area()),
        panel_left_(n_tiles_ * tile_area()),
        panel_right_(n_tiles_ * tile_area()),
        scratch_(threads_ * tile_area()) {}

  /// Bytes that the work takes beside the matrix.
  static std::size_t bytes(vertex_t n_vertices, vertex_t tile) {
    const std::int64_t tiles = (n_vertices + tile - 1) / tile;
    const std::int64_t packed = 2 * tiles + 3 + count_threads(n_vertices, tile);
    return static_cast<std::size_t>(packed * tile * tile) * sizeof(Value);
  }

  /// Throws NegativeCycle.
  void run() {
    run_team(static_cast<int>(threads_), [&](const Team& team) {
      // Who fails goes on to all barriers, as the others do, but no one works any more.
      if (team.rank() == 0) team.guard([&] { close_diagonal(0); });
      team.barrier();
      for (std::int64_t round = 0; round < n_tiles_; ++round) {
        if (team.rank() == 0) others_.next = 0;
        take_tasks(team, panels_, 2 * n_tiles_, [&](std::int64_t task) {
          relax_panel(round, task / 2, task % 2 == 0, scratch_.data() + team.rank() * tile_area());
        });
        team.barrier();
        if (team.rank() == 0) panels_.next = 0;
        take_tasks(team, others_, 1 + n_tiles_ * groups(), [&](std::int64_t task) {
          if (task == 0) {
            close_next(round);
          } else {
            relax_others(round, (task - 1) / groups(), (task - 1) % groups());
          }
        });
        team.barrier();
      }
    });
    report_progress(all_rows(), all_rows());
  }

 private:
  /// Tiles of 64 that one task takes at most: 50 microseconds with eight-byte numbers, and with
  /// their 256 KiB of the right operand they fit any second-level cache.
  static constexpr std::int64_t most_group = 8;

  static std::int64_t count_threads(vertex_t n_vertices, vertex_t tile) {
    const std::int64_t a_round = std::int64_t{n_vertices} * n_vertices * tile;
    return std::clamp<std::int64_t>(a_round / relaxations_a_thread, 1, num_threads());
  }
  [[nodiscard]] std::int64_t tile_area() const { return tile_ * tile_; }
  [[nodiscard]] std::int64_t groups() const { return (n_tiles_ + group_ - 1) / group_; }
  [[nodiscard]] std::int64_t side(std::int64_t tile) const {
    return std::min(tile_, n_ - tile * tile_);
  }
  [[nodiscard]] Rectangle<Value> tile_at(std::int64_t row, std::int64_t column) const {
    return {matrix_ + row * tile_ * stride_ + column * tile_, stride_, side(row), side(column)};
  }
  static Rectangle<const Value> readable(const Rectangle<Value>& rectangle) {
    return {rectangle.data, rectangle.stride, rectangle.height, rectangle.width};
  }

  template <class Work>
  void take_tasks(const Team& team, TaskQueue& queue, std::int64_t n_tasks, Work&& work) {
    team.guard([&] {
      while (!team.stopping()) {
        if (team.rank() == 0) report_progress(done_.load(std::memory_order_relaxed), all_rows());
        const std::int64_t task = queue.next.fetch_add(1, std::memory_order_relaxed);
        if (task >= n_tasks) break;
        work(task);
      }
    });
  }

  /// Progress is counted in rows of tiles, by the groups that they are worked off in.
  [[nodiscard]] std::int64_t all_rows() const { return n_tiles_ * n_tiles_ * groups(); }

  void close_diagonal(std::int64_t round) {
    const Rectangle<Value> diagonal = tile_at(round, round);
    Value* const closed = closed_.data();
    std::fill_n(closed, tile_area(), TileArithmetic<lane>::none);
    for (std::int64_t i = 0; i < diagonal.height; ++i) {
      std::copy_n(diagonal.data + i * stride_, diagonal.width, closed + i * tile_);
    }
    const vertex_t on_cycle = arithmetic_.close(closed, static_cast<vertex_t>(diagonal.height));
    if (on_cycle != no_vertex) {
      throw NegativeCycle(static_cast<vertex_t>(round * tile_ + on_cycle));
    }
    for (std::int64_t i = 0; i < diagonal.height; ++i) {
      std::copy_n(closed + i * tile_, diagonal.width, diagonal.data + i * stride_);
    }
    arithmetic_.pack_left(readable(diagonal), closed_left_.data());
    arithmetic_.pack_right(readable(diagonal), closed_right_.data());
  }

  /// Closes the next round's tile before the others are relaxed, so that no one waits for it.
  void close_next(std::int64_t round) {
    const std::int64_t next = round + 1;
    if (next == n_tiles_) return;
    relax_other(round, next, next);
    close_diagonal(next);
  }

  /// The tile's row or column: its old entries are the product's other operand.
  void relax_panel(std::int64_t round, std::int64_t tile, bool of_row, Value* scratch) {
    if (tile == round) return;
    if (of_row) {
      const Rectangle<Value> c = tile_at(round, tile);
      arithmetic_.pack_right(readable(c), scratch);
      arithmetic_.multiply(c, closed_left_.data(), scratch, side(round));
      arithmetic_.pack_right(readable(c), panel_right_.data() + tile * tile_area());
    } else {
      const Rectangle<Value> c = tile_at(tile, round);
      arithmetic_.pack_left(readable(c), scratch);
      arithmetic_.multiply(c, scratch, closed_right_.data(), side(round));
      arithmetic_.pack_left(readable(c), panel_left_.data() + tile * tile_area());
    }
  }

  /// A tile that is neither of the round's row nor of its column.
  void relax_other(std::int64_t round, std::int64_t row, std::int64_t column) {
    arithmetic_.multiply(tile_at(row, column), panel_left_.data() + row * tile_area(),
                         panel_right_.data() + column * tile_area(), side(round));
  }

  /// A group of tiles in a row, but for those that have been relaxed already.
  void relax_others(std::int64_t round, std::int64_t row, std::int64_t group) {
    const std::int64_t last = std::min((group + 1) * group_, n_tiles_);
    for (std::int64_t column = group * group_; column < last && row != round; ++column) {
      const bool is_next_diagonal = row == round + 1 && column == row;
      if (column != round && !is_next_diagonal) relax_other(round, row, column);
    }
    done_.fetch_add(1, std::memory_order_relaxed);
  }

  const std::int64_t n_;
  const std::int64_t tile_;
  const std::int64_t n_tiles_;
  Value* const matrix_;
  const std::int64_t stride_;
  const TileArithmetic<lane> arithmetic_;
  const std::int64_t threads_;
  const std::int64_t group_;
  AlignedValues<Value> closed_;  // the diagonal's tile, and packed as either operand
  AlignedValues<Value> closed_left_;
  AlignedValues<Value> closed_right_;
  AlignedValues<Value> panel_left_;   // the tiles of its column
  AlignedValues<Value> panel_right_;  // the tiles of its row
  AlignedValues<Value> scratch_;      // a tile for each thread
  TaskQueue panels_;
  TaskQueue others_;
  alignas(line_bytes) std::atomic<std::int64_t> done_{0};
};

}  // namespace warpgraph::apsp_steps
