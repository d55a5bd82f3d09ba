// Parallel primitives on CPU cores. The only file that knows OpenMP.
//
// Every loop is cut into blocks that idle threads fetch. Between blocks the calling thread polls
// for Ctrl-C and each thread looks whether an exception ended the loop, so a loop of any length can
// be interrupted and exceptions reach the caller whichever thread threw them.
//
// Results do not depend on the number of threads as long as bodies write to places of their own
// and reductions combine with an associative, commutative operation.
#pragma once

#include "core/interrupt.hpp"
#include "core/threads/barrier.hpp"
#include "core/threads/spinning_pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <omp.h>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace warpgraph {

/// How many threads a parallel loop uses: those that the present call began with (CallThreads), or
/// configured_threads() outside of one.
int num_threads() noexcept;
/// What set_num_threads(n) was told, else OMP_NUM_THREADS, else all cores.
int configured_threads() noexcept;
/// n >= 1; 0 returns to the default. Calls that run keep the number that they began with.
void set_num_threads(int n);

namespace detail {
inline thread_local int threads_of_call = 0;  // 0: not in a call
}

/// Fixes num_threads() on this thread for its own life. A call sizes arrays by that number and runs
/// as many threads later, while another thread, or the call's own progress callable, may call
/// set_num_threads().
class CallThreads {
 public:
  explicit CallThreads(int threads) noexcept
      : previous_(std::exchange(detail::threads_of_call, threads)) {}
  ~CallThreads() { detail::threads_of_call = previous_; }
  CallThreads(const CallThreads&) = delete;
  CallThreads& operator=(const CallThreads&) = delete;

 private:
  int previous_;
};

/// Iterations a thread takes at a time: large enough to hide the fetch, small enough for Ctrl-C.
inline constexpr std::int64_t default_grain = 2048;
/// The same for bodies of a nanosecond or so. Fewer iterations than this take less time than waking
/// a thread, and stay on the calling one.
inline constexpr std::int64_t light_grain = 1 << 14;

namespace detail {

/// The OpenMP threads that are called for so many: no fewer than the calling thread called before,
/// although some have nothing to do, and no more than the system grants. GCC's OpenMP ends those
/// that it does not call, and starts new ones for the next large loop, which took 0.4 milliseconds
/// on 16 cores; and it ends the process if it cannot start one.
int threads_to_call(int threads);

/// body(thread) on so many threads, or as many as there are to be had.
template <class Body>
void run_parallel(int threads, Body&& body) {
  const int of_call = num_threads();
#pragma omp parallel num_threads(threads_to_call(threads))
  {
    const CallThreads same_as_caller(of_call);
    body(omp_get_thread_num());
  }
}

}  // namespace detail

/// What the threads of one parallel loop share: the first exception, and the wish to stop.
class LoopControl {
 public:
  [[nodiscard]] bool stopped() const noexcept { return stop_.load(std::memory_order_relaxed); }

  /// Runs `step`, keeping the first exception of all threads for rethrow(). False if it threw.
  template <class Step>
  bool guard(Step&& step) noexcept {
    try {
      step();
      return true;
    } catch (...) {
      if (!taken_.test_and_set()) error_ = std::current_exception();
      stop_.store(true, std::memory_order_relaxed);
      return false;
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::atomic<bool> stop_{false};
  std::atomic_flag taken_ = ATOMIC_FLAG_INIT;
  std::exception_ptr error_;
};

/// body(thread, first, last) over disjoint blocks that cover 0..n. `thread` < num_threads().
template <class Body>
void parallel_blocks(std::int64_t n, std::int64_t grain, Body&& body) {
  if (n <= 0) return;
  grain = std::max<std::int64_t>(grain, 1);
  SpinningPool* const pool = SpinningPool::current();
  // Inside a parallel loop the others have work of their own.
  const int most = pool != nullptr ? pool->size() : omp_in_parallel() ? 1 : num_threads();
  const int threads = static_cast<int>(std::min<std::int64_t>(most, (n + grain - 1) / grain));
  if (threads == 1) {
    for (std::int64_t first = 0; first < n; first += grain) {
      poll();
      body(0, first, std::min(first + grain, n));
    }
    return;
  }
  LoopControl control;
  std::atomic<std::int64_t> next{0};
  const auto fetch_blocks = [&](int thread) {
    control.guard([&] {
      while (!control.stopped()) {
        if (thread == 0) poll();
        const std::int64_t first = next.fetch_add(grain, std::memory_order_relaxed);
        if (first >= n) break;
        body(thread, first, std::min(first + grain, n));
      }
    });
  };
  if (pool != nullptr) {
    pool->run_on_all(fetch_blocks);
  } else {
    detail::run_parallel(threads, fetch_blocks);
  }
  control.rethrow();
}

/// body(i) for every i in 0..n, in any order, on all threads.
template <class Body>
void parallel_for(std::int64_t n, Body&& body, std::int64_t grain = default_grain) {
  parallel_blocks(n, grain, [&](int, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) body(i);
  });
}

/// combine over map(i), i in 0..n. `combine` must be associative and commutative.
template <class T, class Map, class Combine>
T parallel_reduce(std::int64_t n, T identity, Map&& map, Combine&& combine,
                  std::int64_t grain = default_grain) {
  struct alignas(64) Partial {
    T value;
  };
  const SpinningPool* const pool = SpinningPool::current();
  const int threads = pool != nullptr ? pool->size() : num_threads();
  const CallThreads fixed(threads);  // `partial` has a place for each
  std::vector<Partial> partial(static_cast<std::size_t>(threads), Partial{identity});
  parallel_blocks(n, grain, [&](int thread, std::int64_t first, std::int64_t last) {
    T value = partial[static_cast<std::size_t>(thread)].value;
    for (std::int64_t i = first; i < last; ++i) value = combine(value, map(i));
    partial[static_cast<std::size_t>(thread)].value = value;
  });
  T total = identity;
  for (const Partial& p : partial) total = combine(total, p.value);
  return total;
}

/// The smallest i in 0..n for which bad(i), or n.
template <class Bad>
std::int64_t parallel_find_first(std::int64_t n, Bad&& bad) {
  std::atomic<std::int64_t> first{n};
  parallel_blocks(n, 1 << 15, [&](int, std::int64_t begin, std::int64_t end) {
    if (begin >= first.load(std::memory_order_relaxed)) return;  // behind a find
    // Without branches over the block, so that it vectorises; the exact place is looked up only
    // in a block that has one.
    bool any = false;
    for (std::int64_t i = begin; i < end; ++i) any |= bad(i);
    if (!any) return;
    while (!bad(begin)) ++begin;
    std::int64_t seen = first.load(std::memory_order_relaxed);
    while (begin < seen && !first.compare_exchange_weak(seen, begin)) {
    }
  });
  return first.load();
}

/// Replaces values[i] by values[0] + ... + values[i-1]; returns the sum of all.
template <class T>
T exclusive_scan_in_place(T* values, std::int64_t n) {
  constexpr std::int64_t block = 1 << 16;
  const std::int64_t blocks = (n + block - 1) / block;
  std::vector<T> sums(static_cast<std::size_t>(blocks) + 1, T{});
  parallel_for(
      blocks,
      [&](std::int64_t b) {
        T sum{};
        for (std::int64_t i = b * block, end = std::min(i + block, n); i < end; ++i) {
          sum += values[i];
        }
        sums[static_cast<std::size_t>(b) + 1] = sum;
      },
      1);
  for (std::int64_t b = 0; b < blocks; ++b) {
    sums[static_cast<std::size_t>(b) + 1] += sums[static_cast<std::size_t>(b)];
  }
  parallel_for(
      blocks,
      [&](std::int64_t b) {
        T sum = sums[static_cast<std::size_t>(b)];
        for (std::int64_t i = b * block, end = std::min(i + block, n); i < end; ++i) {
          sum += std::exchange(values[i], sum);
        }
      },
      1);
  return sums.back();
}

/// Sorts by `less`, which must be a strict TOTAL order for the result not to depend on the threads.
template <class Iterator, class Less = std::less<>>
void parallel_sort(Iterator first, Iterator last, Less less = {}) {
  const std::int64_t n = std::distance(first, last);
  constexpr std::int64_t smallest_piece = 1 << 14;
  const std::int64_t pieces = std::min<std::int64_t>(num_threads(), n / smallest_piece);
  if (pieces <= 1) {
    std::sort(first, last, less);
    return;
  }
  std::vector<Iterator> cuts;
  for (std::int64_t p = 0; p <= pieces; ++p) cuts.push_back(first + n * p / pieces);
  const auto cut = [&](std::int64_t p) {
    return cuts[static_cast<std::size_t>(std::min(p, pieces))];
  };
  parallel_for(
      pieces, [&](std::int64_t p) { std::sort(cut(p), cut(p + 1), less); }, 1);
  for (std::int64_t width = 1; width < pieces; width *= 2) {
    parallel_for((pieces + 2 * width - 1) / (2 * width),
                 [&](std::int64_t pair) {
                   const std::int64_t p = 2 * width * pair;
                   std::inplace_merge(cut(p), cut(p + width), cut(p + 2 * width), less);
                 },
                 1);
  }
}

/// Threads that run one body together and meet at barriers, for algorithms whose rounds are too
/// short to start a parallel loop for each.
class Team {
 public:
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  /// Everyone waits until all have come.
  void barrier() const noexcept {
    if (size_ > 1) barrier_->wait(size_);
  }
  /// Waits until another member has set the signal to `value`. Where each has signals of its own,
  /// what they tell each other may lie beside them, and comes with them: that is a barrier without
  /// a place that all of them write to.
  void wait_for(const Signal& signal, std::uint32_t value) const noexcept {
    signal.wait_for(value, *spin_then_park_);
  }
  /// Whether a step of any member has thrown; for ending a round early. Members that leave for it
  /// must agree behind a barrier, since one may see it before the barrier and another only after.
  [[nodiscard]] bool stopping() const noexcept { return control_->stopped(); }
  /// Runs a step that may throw; false if it did. The exception waits for run_team's caller, and
  /// this member still has to come to the barriers until all have agreed to leave.
  template <class Step>
  bool guard(Step&& step) const noexcept {
    return control_->guard(std::forward<Step>(step));
  }

 private:
  template <class Body>
  friend void run_team(int threads, Body&& body);
  Team(int rank, int size, LoopControl* control, const SpinThenPark* spin_then_park,
       Barrier* barrier)
      : rank_(rank),
        size_(size),
        control_(control),
        spin_then_park_(spin_then_park),
        barrier_(barrier) {}
  int rank_;
  int size_;
  LoopControl* control_;
  const SpinThenPark* spin_then_park_;
  Barrier* barrier_;
};

/// body(const Team&) on `threads` threads at once, or as many as there are to be had: see size(). A
/// body must not throw while others wait at barriers; what may throw belongs in guard().
template <class Body>
void run_team(int threads, Body&& body) {
  LoopControl control;
  const SpinThenPark spin_then_park(threads <= omp_get_num_procs());
  Barrier barrier(spin_then_park);
  if (threads <= 1 || omp_in_parallel()) {
    const Team team(0, 1, &control, &spin_then_park, &barrier);
    control.guard([&] { body(team); });
  } else {
    detail::run_parallel(threads, [&](int rank) {
      const int size = std::min(threads, omp_get_num_threads());
      if (rank >= size) return;
      const Team team(rank, size, &control, &spin_then_park, &barrier);
      control.guard([&] { body(team); });
    });
  }
  control.rethrow();
}

/// Calls work() on the calling thread. The other threads spin between the parallel loops in it,
/// for loops that follow each other within a tenth of a millisecond and take microseconds. Teams
/// and tasks in it have one thread.
template <class Work>
void with_spinning_pool(Work&& work) {
  const int threads = omp_in_parallel() ? 1 : num_threads();
  if (threads == 1) return work();
  SpinningPool pool(threads, threads <= omp_get_num_procs());
  run_team(threads,
           [&](const Team& team) { team.rank() == 0 ? pool.own(work) : pool.serve(team.rank()); });
}

/// What a task of parallel_tasks asks its thread.
class Worker {
 public:
  Worker(const Team& team, std::atomic<std::int64_t>& done, std::int64_t total)
      : team_(team), done_(done), total_(total) {}

  /// Smaller than the number of threads, and the same for all tasks of a thread.
  [[nodiscard]] int rank() const noexcept { return team_.rank(); }
  /// Polls for Ctrl-C on the calling thread. False: end the task, its result will not be used.
  [[nodiscard]] bool keep_on() const {
    if (team_.rank() == 0) report_progress(done_.load(std::memory_order_relaxed), total_);
    return !team_.stopping();
  }
  /// Counts units of work that are finished.
  void finish(std::int64_t units) const { done_.fetch_add(units, std::memory_order_relaxed); }

 private:
  const Team& team_;
  std::atomic<std::int64_t>& done_;
  const std::int64_t total_;
};

namespace detail {

/// What a loop inside a task polls on a thread other than the calling one, whose hooks hear Ctrl-C:
/// whether all are to stop. The exception ends the task and is not kept, since another came first.
class StopHooks final : public CallHooks {
 public:
  explicit StopHooks(const Team& team) : team_(team) {}
  /// Not inlined into whatever polls, on the guess that it is this: of that GCC 12 makes false
  /// warnings.
  [[gnu::noinline]] void poll() override {
    if (team_.stopping()) throw Stopped{};
  }
  void progress(std::int64_t, std::int64_t) override {}

 private:
  struct Stopped {};
  const Team& team_;
};

}  // namespace detail

/// Looks at the others before sleeping between looks: some tens of microseconds.
inline constexpr int turns_before_sleep = 64;

/// task(const Worker&, i) for every i in 0..n, on at most `threads` threads: for tasks that may
/// take seconds, and therefore ask keep_on() every millisecond or so, or poll, as parallel loops
/// inside them do. `total` units of work are reported as progress.
template <class Task>
void parallel_tasks(std::int64_t n, int threads, std::int64_t total, Task&& task) {
  std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> done{0};
  std::atomic<int> idle{0};
  run_team(static_cast<int>(std::min<std::int64_t>(threads, n)), [&](const Team& team) {
    const Worker worker(team, done, total);
    team.guard([&] {
      detail::StopHooks hooks(team);
      std::optional<ScopedHooks> installed;
      if (team.rank() != 0) installed.emplace(hooks);
      while (worker.keep_on()) {
        const std::int64_t i = next.fetch_add(1, std::memory_order_relaxed);
        if (i >= n) break;
        task(worker, i);
      }
    });
    idle.fetch_add(1, std::memory_order_release);
    if (team.rank() != 0) return;
    // The calling thread, which alone hears Ctrl-C, must not wait deaf until the others are done.
    team.guard([&] {
      for (int turn = 0; idle.load(std::memory_order_acquire) < team.size(); ++turn) {
        if (!worker.keep_on()) break;
        if (turn < turns_before_sleep) {
          std::this_thread::yield();
        } else {
          std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
      }
    });
  });
  report_progress(total, total);
}

}  // namespace warpgraph
