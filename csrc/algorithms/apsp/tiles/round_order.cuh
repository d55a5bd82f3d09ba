// In which order blocks take the tiles of all rounds, and what each tile has to wait for. Not for
// use outside this folder.
//
// Every tile of a round has the same work but the diagonal's, c(i, j) = min(c(i, j),
// c(i, r) (x) c(r, j)), in row and column r as well, where the tile is a factor of its own product.
// Those are the round's panels; they wait for tile (r, r), and all others for two of them.
//
// Rounds overlap. The tile that is the next diagonal's comes first and is closed at once; while one
// block does that, others do the bulk of the round, and the panels of the next round come in the
// midst of it. Whoever comes to the next round then finds its factors made, if there are enough
// tiles.
//
// A tile is written in its place, and must not be while others still read it as a factor. Only the
// panels of the round before have been read since they were made: their tiles wait until that round
// is complete, and have a place in the order where it should be.
//
// Nothing waits for what comes later in the order. So whoever has the first place of those not yet
// done can go on, and blocks that take places one after the other never wait in a circle, however
// many there are.
#pragma once

#include "algorithms/apsp/tiles/device_tiles.hpp"

#include <cuda/atomic>

namespace warpgraph::apsp_steps {

/// A tile in a round.
struct Task {
  enum class Kind {
    product,              // c = min(c, a (x) b)
    product_and_closure,  // the tile is the next diagonal's
    closure,              // it is the first one's, before all rounds
    none,
    end,  // and nothing follows
  };
  Kind kind;
  int round;  // 0 for the closure
  int row;
  int column;

  [[nodiscard]] __device__ bool closes() const {
    return kind == Kind::closure || kind == Kind::product_and_closure;
  }
  [[nodiscard]] __device__ bool is_panel() const { return row == round || column == round; }
  /// Whether it has been read in the round before as a panel of that.
  [[nodiscard]] __device__ bool was_panel() const {
    return round > 0 && (row == round - 1 || column == round - 1);
  }
  /// Whether it leads from one tile of the diagonal to the next, see round_chain.cuh.
  [[nodiscard]] __device__ bool is_on_chain(int n_tiles) const {
    const int next = round + 1;
    if (kind == Kind::closure) return true;
    return next < n_tiles && (row == round || row == next) && (column == round || column == next);
  }
};

/// Places of rounds `first` and following in the order. In round r, tiles have numbers as if it
/// were the first one: tile (r, r) is 0, the next diagonal's 1, the last one's the largest.
class Order {
 public:
  WARPGRAPH_HOST_DEVICE Order(int n_tiles, int first)
      : n_tiles_(n_tiles), others_(n_tiles - 1), first_(first) {}

  /// Places before round `end`.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE unsigned size(int end) const {
    return static_cast<unsigned>(start() + (end - first_) * a_round());
  }

  /// The tile at a place of the first so many.
  [[nodiscard]] __device__ Task find(unsigned place, unsigned n_places) const {
    if (place >= n_places) return {Task::Kind::end, 0, 0, 0};
    const int from_start = static_cast<int>(place) - start();
    if (from_start >= 0) {
      return find_in(first_ + from_start / a_round(), from_start % a_round());
    }
    return place == 0 ? Task{Task::Kind::closure, 0, 0, 0} : panel(0, static_cast<int>(place) - 1);
  }

 private:
  /// Before the first round: its diagonal, its panels.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE int start() const {
    return first_ == 0 ? 1 + 2 * others_ : 0;
  }
  /// A round, and the panels of the next one.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE int a_round() const { return others_ * (others_ + 2); }

  [[nodiscard]] __device__ Task find_in(int round, int place) const {
    const int inner = others_ > 2 ? others_ - 2 : 0;  // neither the next panels nor the last ones
    const int n_inner = inner * inner;
    // The next diagonal's tile, on which a block is busy for as long as two or three others are,
    // and the next panels.
    if (place < 1 + 2 * inner) {
      const int other = 2 + (place - 1) / 2;
      if (place == 0) return at(round, 1, 1);
      return place % 2 == 0 ? at(round, 1, other) : at(round, other, 1);
    }
    place -= 1 + 2 * inner;
    // Time for it, and for what is left of the round before.
    const int soon = n_inner / 2;
    if (place < soon) return at(round, 2 + place / inner, 2 + place % inner);
    place -= soon;
    const int last = others_ > 1 ? 2 * others_ - 1 : 0;
    if (place < last) {
      return place < others_ ? at(round, others_, 1 + place)
                             : at(round, 1 + place - others_, others_);
    }
    place -= last;
    if (place < 2 * (others_ - 1)) return panel(round + 1, place);
    place -= 2 * (others_ - 1);
    if (place < n_inner - soon) {
      place += soon;
      return at(round, 2 + place / inner, 2 + place % inner);
    }
    // This round's diagonal is the last one's in the next.
    return panel(round + 1, place - (n_inner - soon) + 2 * (others_ - 1));
  }

  /// There is none after the last round.
  [[nodiscard]] __device__ Task panel(int round, int place) const {
    if (round == n_tiles_) return {Task::Kind::none, round, 0, 0};
    const int other = 1 + place / 2;
    return place % 2 == 0 ? at(round, 0, other) : at(round, other, 0);
  }
  [[nodiscard]] __device__ Task at(int round, int row, int column) const {
    const bool closes = row == 1 && column == 1 && round + 1 < n_tiles_;
    return {closes ? Task::Kind::product_and_closure : Task::Kind::product, round,
            (round + row) % n_tiles_, (round + column) % n_tiles_};
  }

  int n_tiles_;
  int others_;
  int first_;
};

/// What has been done, in device memory; all 0 at first.
///
/// Each number is written by one block after what it tells of, and read before that is used: a
/// fence releases what all threads of the block did before they met, and loads acquire it for all
/// that meet afterwards.
class Done {
 public:
  [[nodiscard]] static WARPGRAPH_HOST_DEVICE std::size_t size(int n_tiles) {
    return static_cast<std::size_t>(n_tiles) * static_cast<std::size_t>(n_tiles + 1);
  }
  WARPGRAPH_HOST_DEVICE Done(unsigned* numbers, int n_tiles)
      : rounds_(numbers),
        others_(numbers + static_cast<std::size_t>(n_tiles) * n_tiles),
        n_tiles_(n_tiles) {}

  /// Waits until a task can be done. The first `waiting_threads` of a block call this, and then the
  /// block meets.
  static constexpr unsigned waiting_threads = 4;
  __device__ void wait_for(const Task& task) const {
    if (task.kind == Task::Kind::closure || task.kind == Task::Kind::none) return;
    const auto rounds = static_cast<unsigned>(task.round);
    const auto n_others = static_cast<unsigned>((n_tiles_ - 1) * (n_tiles_ - 1));
    // A panel is a factor of itself, as it was after the round before.
    if (threadIdx.x == 0) wait(task.row, task.column, rounds);
    if (threadIdx.x == 1) wait(task.row, task.round, rounds + (task.column != task.round));
    if (threadIdx.x == 2) wait(task.round, task.column, rounds + (task.row != task.round));
    if (threadIdx.x == 3 && task.was_panel()) wait(others_[task.round - 1], n_others);
  }
  /// Waits until a tile has so many rounds behind it. One thread calls this.
  __device__ void wait(int row, int column, unsigned rounds) const {
    wait(rounds_of(row, column), rounds);
  }

  /// Says that tasks are done. One thread calls this when the block has met.
  template <class... Tasks>
  __device__ void announce(const Tasks&... tasks) const {
    ::cuda::atomic_thread_fence(::cuda::memory_order_release, ::cuda::thread_scope_device);
    (put(tasks), ...);
  }

 private:
  using Number = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device>;

  __device__ void put(const Task& task) const {
    const bool is_next = task.kind == Task::Kind::product_and_closure;
    Number(rounds_of(task.row, task.column))
        .store(static_cast<unsigned>(task.round + 1 + is_next), ::cuda::memory_order_relaxed);
    if (task.kind == Task::Kind::closure || task.is_panel()) return;
    Number(others_[task.round]).fetch_add(1, ::cuda::memory_order_relaxed);
  }
  [[nodiscard]] __device__ unsigned& rounds_of(int row, int column) const {
    return rounds_[static_cast<std::size_t>(row) * n_tiles_ + column];
  }
  static __device__ void wait(unsigned& number, unsigned at_least) {
    while (Number(number).load(::cuda::memory_order_acquire) < at_least) __nanosleep(20);
  }

  unsigned* rounds_;  // of each tile; of the diagonal's, one more when it is closed
  unsigned* others_;  // tiles of each round that are done, panels apart
  int n_tiles_;
};

}  // namespace warpgraph::apsp_steps
