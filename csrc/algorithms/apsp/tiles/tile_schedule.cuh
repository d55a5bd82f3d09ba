// The order in which blocks take the tiles of all rounds of blocked Floyd-Warshall (apsp.hpp), and
// the dependences between tiles. Not for use outside this folder.
//
// All tiles of round r but the pivot (r, r) need the same work, c(i, j) = min(c(i, j), c(i, r) (x)
// c(r, j)), where (x) is the min-plus product. That holds for the panels, row and column r, as
// well, where the tile is a factor of its own product. Panel tiles depend on tile (r, r), and all
// other tiles on two panel tiles.
//
// Rounds overlap. The tile that is the next pivot comes first and is closed at once. While one
// block does that, others do most of the round, and the panels of the next round are scheduled in
// the middle of it. So with enough tiles, blocks that reach the next round find its factors
// complete.
//
// A tile is updated in place, which must not happen while others still read it as a factor. Of the
// tiles that a round writes, only those that were panels of the previous round may still be read by
// others: they wait until that round is complete, and are scheduled late enough that it should be.
//
// No deadlock: no task depends on a later position of the schedule. So the block with the first
// unfinished position can always proceed, and blocks that take positions in order never wait in a
// cycle, whatever their number, also where they have claimed the next position already. The block
// of critical_path.cuh takes its tasks in the same order, but first waits in each round until the
// tile of the next pivot has completed the rounds before, and only then computes and signals the
// two panel tiles of this round that are on its path, (next, round) and (round, next). With four
// tiles in a row, these come earlier in the schedule than what it waits for; no task between them
// needs these panel tiles. That block must be resident, as in a cooperative launch.
#pragma once

#include "algorithms/apsp/tiles/device_tiles.hpp"

#include <cuda/atomic>

namespace warpgraph::apsp_detail {

/// The work on a tile in a round.
struct TileTask {
  enum class Kind {
    product,              // c = min(c, a (x) b)
    product_and_closure,  // for the next pivot tile
    closure,              // for the first pivot tile, before all rounds
    none,                 // no panels follow the last round; or left to the critical path's block
    end,                  // no tasks are left
  };
  Kind kind;
  int round;  // 0 for the closure
  int row;
  int column;

  [[nodiscard]] __device__ bool closes() const {
    return kind == Kind::closure || kind == Kind::product_and_closure;
  }
  [[nodiscard]] __device__ bool is_panel() const { return row == round || column == round; }
  /// Returns whether the tile was in a panel of the previous round. Then it must not be written
  /// until the tasks of that round have read it: see wait_for_inputs().
  [[nodiscard]] __device__ bool was_panel() const {
    return round > 0 && (row == round - 1 || column == round - 1);
  }
  /// Returns whether the task leads from one pivot tile to the next, see critical_path.cuh.
  [[nodiscard]] __device__ bool is_on_critical_path(int n_tiles) const {
    const int next = round + 1;
    if (kind == Kind::closure) return true;
    return next < n_tiles && (row == round || row == next) && (column == round || column == next);
  }
};

/// The schedule of rounds `first` and later, for a matrix of `n_tiles` tiles in a row. In round r,
/// tile indices are cyclically shifted: tile (r, r) has index 0, the next pivot 1, the previous
/// pivot the largest.
class TileSchedule {
 public:
  WARPGRAPH_HOST_DEVICE TileSchedule(int n_tiles, int first)
      : n_tiles_(n_tiles), n_others_(n_tiles - 1), first_(first) {}

  /// Returns the number of positions up to the end of round `end` - 1, with the panels of `end`. It
  /// fits 32 bits, since the rounds of a launch are few where tiles are many.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE unsigned size(int end) const {
    return static_cast<unsigned>(n_initial_tasks() + (end - first_) * tasks_per_round());
  }

  /// Returns the task at a position; Kind::end from `n_positions` on.
  [[nodiscard]] __device__ TileTask find(unsigned position, unsigned n_positions) const {
    if (position >= n_positions) return {TileTask::Kind::end, 0, 0, 0};
    const int after_initial = static_cast<int>(position) - n_initial_tasks();
    if (after_initial >= 0) {
      return find_in(first_ + after_initial / tasks_per_round(), after_initial % tasks_per_round());
    }
    return position == 0 ? TileTask{TileTask::Kind::closure, 0, 0, 0}
                         : panel(0, static_cast<int>(position) - 1);
  }

 private:
  /// Returns the number of tasks before the first round: the closure of its pivot, and its panels.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE int n_initial_tasks() const {
    return first_ == 0 ? 1 + 2 * n_others_ : 0;
  }
  /// Returns the number of tasks of a round beside its own panels, with the panels of the next one.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE int tasks_per_round() const {
    return n_others_ * (n_others_ + 2);
  }

  [[nodiscard]] __device__ TileTask find_in(int round, int position) const {
    // Tiles of a row that are in the panels of neither this nor the next nor the previous round.
    const int inner = n_others_ > 2 ? n_others_ - 2 : 0;
    const int n_inner = inner * inner;
    // The next pivot comes first, which takes a block as long as two or three other tiles, and with
    // it the tiles of the next panels.
    if (position < 1 + 2 * inner) {
      const int other = 2 + (position - 1) / 2;
      if (position == 0) return at(round, 1, 1);
      return position % 2 == 0 ? at(round, 1, other) : at(round, other, 1);
    }
    position -= 1 + 2 * inner;
    // Work follows that covers the time for this and for the rest of the previous round.
    const int n_early = n_inner / 2;
    if (position < n_early) return at(round, 2 + position / inner, 2 + position % inner);
    position -= n_early;
    // The panels of the previous round follow, which wait for the end of that round.
    const int n_former_panels = n_others_ > 1 ? 2 * n_others_ - 1 : 0;
    if (position < n_former_panels) {
      return position < n_others_ ? at(round, n_others_, 1 + position)
                                  : at(round, 1 + position - n_others_, n_others_);
    }
    position -= n_former_panels;
    if (position < 2 * (n_others_ - 1)) return panel(round + 1, position);
    position -= 2 * (n_others_ - 1);
    if (position < n_inner - n_early) {
      position += n_early;
      return at(round, 2 + position / inner, 2 + position % inner);
    }
    // This round's pivot has the largest index in the next round, so the panel tiles in its row and
    // column are the last two of the next panels. They come last, since they were factors of this
    // round, which has to be complete.
    return panel(round + 1, position - (n_inner - n_early) + 2 * (n_others_ - 1));
  }

  /// Returns the update of a panel tile, or Kind::none after the last round, which no panels
  /// follow.
  [[nodiscard]] __device__ TileTask panel(int round, int position) const {
    if (round == n_tiles_) return {TileTask::Kind::none, round, 0, 0};
    const int other = 1 + position / 2;
    return position % 2 == 0 ? at(round, 0, other) : at(round, other, 0);
  }
  [[nodiscard]] __device__ TileTask at(int round, int row, int column) const {
    const bool closes = row == 1 && column == 1 && round + 1 < n_tiles_;
    return {closes ? TileTask::Kind::product_and_closure : TileTask::Kind::product, round,
            (round + row) % n_tiles_, (round + column) % n_tiles_};
  }

  int n_tiles_;
  int n_others_;  // tiles of a row beside the pivot
  int first_;
};

/// Completion counters in device memory, all 0 at first.
///
/// A block writes a counter after the data that it stands for, and others read it before they use
/// that data. A release fence covers the stores of all threads of the block before its barrier;
/// acquire loads cover the reads of all threads after the barrier that follows them.
class TileProgress {
 public:
  /// Returns the number of counters.
  [[nodiscard]] static WARPGRAPH_HOST_DEVICE std::size_t size(int n_tiles) {
    return static_cast<std::size_t>(n_tiles) * static_cast<std::size_t>(n_tiles + 1);
  }
  WARPGRAPH_HOST_DEVICE TileProgress(unsigned* counters, int n_tiles)
      : rounds_done_(counters),
        n_completed_(counters + static_cast<std::size_t>(n_tiles) * n_tiles),
        n_tiles_(n_tiles) {}

  /// The threads of a block that wait for the inputs of a task, each for one.
  static constexpr unsigned waiting_threads = 4;
  /// Waits until the inputs of a task are complete. The first `waiting_threads` threads of a block
  /// call this, and then the block synchronizes.
  __device__ void wait_for_inputs(const TileTask& task) const {
    if (task.kind == TileTask::Kind::closure || task.kind == TileTask::Kind::none) return;
    const auto rounds = static_cast<unsigned>(task.round);
    const auto n_beside_panels = static_cast<unsigned>((n_tiles_ - 1) * (n_tiles_ - 1));
    // A panel tile is its own factor, as it was after the previous round. A panel, and so the
    // pivot, has been read when the products of that round beside the panels are complete.
    if (threadIdx.x == 0) wait(task.row, task.column, rounds);
    if (threadIdx.x == 1) wait(task.row, task.round, rounds + (task.column != task.round));
    if (threadIdx.x == 2) wait(task.round, task.column, rounds + (task.row != task.round));
    if (threadIdx.x == 3 && task.was_panel()) wait(n_completed_[task.round - 1], n_beside_panels);
  }
  /// Waits until a tile has completed `rounds` rounds. One thread calls this.
  __device__ void wait(int row, int column, unsigned rounds) const {
    wait(rounds_done(row, column), rounds);
  }

  /// Marks tasks as complete. One thread calls this after a barrier of the block.
  template <class... Tasks>
  __device__ void signal(const Tasks&... tasks) const {
    ::cuda::atomic_thread_fence(::cuda::memory_order_release, ::cuda::thread_scope_device);
    (update(tasks), ...);
  }

 private:
  using Counter = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device>;

  __device__ void update(const TileTask& task) const {
    const bool is_next = task.kind == TileTask::Kind::product_and_closure;
    Counter(rounds_done(task.row, task.column))
        .store(static_cast<unsigned>(task.round + 1 + is_next), ::cuda::memory_order_relaxed);
    if (task.kind == TileTask::Kind::closure || task.is_panel()) return;
    Counter(n_completed_[task.round]).fetch_add(1, ::cuda::memory_order_relaxed);
  }
  [[nodiscard]] __device__ unsigned& rounds_done(int row, int column) const {
    return rounds_done_[static_cast<std::size_t>(row) * n_tiles_ + column];
  }
  static __device__ void wait(unsigned& counter, unsigned at_least) {
    while (Counter(counter).load(::cuda::memory_order_acquire) < at_least) __nanosleep(20);
  }

  // Rounds completed by each tile; one more once it is closed for the next. So the pivot has one
  // more than rounds before its own, in which it has no task.
  unsigned* rounds_done_;
  unsigned* n_completed_;  // tiles of each round that are complete, without panels
  int n_tiles_;
};

}  // namespace warpgraph::apsp_detail
