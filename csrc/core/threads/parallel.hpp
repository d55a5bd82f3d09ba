// Parallel primitives on CPU cores. The only file that uses OpenMP.
//
// A loop is divided into blocks, and idle threads fetch the next block (dynamic scheduling).
// Between blocks the calling thread polls for Ctrl-C, and each thread checks whether an exception
// has ended the loop. So a loop of any length can be interrupted, and an exception of any thread
// reaches the caller.
//
// Results do not depend on the number of threads if no two iterations write to the same location
// and reductions use an associative, commutative operation.
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

/// Number of threads of a parallel loop: the number that the current call began with (CallThreads),
/// or configured_threads() outside of a call.
int num_threads() noexcept;
/// The argument of set_num_threads(n), else OMP_NUM_THREADS, else all cores.
int configured_threads() noexcept;
/// n >= 1; 0 restores the default. Running calls keep the number that they began with.
void set_num_threads(int n);

namespace detail {
inline thread_local int threads_of_call = 0;  // 0: not in a call
}

/// Fixes num_threads() on this thread until the destructor. A call sizes arrays by that number and
/// starts as many threads later. Another thread, or the call's own progress callable, may call
/// set_num_threads() in between.
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

/// Iterations per block: enough to hide the cost of fetching it, few enough for Ctrl-C.
inline constexpr std::int64_t default_grain = 2048;
/// The same for bodies of about a nanosecond. Fewer iterations than this take less time than waking
/// a thread, and run on the calling one.
inline constexpr std::int64_t light_grain = 1 << 14;

namespace detail {

/// The size of the OpenMP team that runs a body on `threads` threads. No smaller than the calling
/// thread's previous team, although some threads then idle: GCC's OpenMP ends the threads that a
/// smaller team leaves over, and starts new ones for the next large loop, which took 0.4
/// milliseconds on 16 cores. No larger than the system allows: GCC's OpenMP ends the process if it
/// cannot start a thread.
int threads_to_call(int threads);

/// body(thread) on `threads` threads, or on as many as the system can run.
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

/// State that the threads of one parallel loop share: the first exception, and the stop flag.
class LoopControl {
 public:
  [[nodiscard]] bool stopped() const noexcept { return stop_.load(std::memory_order_relaxed); }

  /// Runs `step`. False if it threw; rethrow() throws the first exception of all threads.
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

/// body(thread, first, last) for disjoint blocks that cover 0..n. `thread` < num_threads().
template <class Body>
void parallel_blocks(std::int64_t n, std::int64_t grain, Body&& body) {
  if (n <= 0) return;
  grain = std::max<std::int64_t>(grain, 1);
  SpinningPool* const pool = SpinningPool::current();
  // Inside a parallel loop the other threads are busy.
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
  const CallThreads fixed(threads);  // the size of `partial`
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
    if (begin >= first.load(std::memory_order_relaxed)) return;
    // No branches in this loop, so that it vectorises. Only a block with a bad i is searched for
    // it.
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

/// Sorts by `less`. If that is a strict total order, the result does not depend on the threads.
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

/// A team in OpenMP's sense: threads that run one body together and synchronise at barriers. For
/// algorithms whose rounds are too short for a parallel loop each.
class Team {
 public:
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  /// Returns when all threads of the team have called it.
  void barrier() const noexcept {
    if (size_ > 1) barrier_->wait(size_);
  }
  /// Waits until another thread has set the signal to `value`. That thread's earlier writes are
  /// then visible. If each thread has its own signal, with data next to it, waiting for all of them
  /// is a barrier without a counter that all threads write to.
  void wait_for(const Signal& signal, std::uint32_t value) const noexcept {
    signal.wait_for(value, *spin_then_park_);
  }
  /// Whether a step of any thread has thrown; for ending a round early. Threads decide after
  /// a barrier whether to leave: before it, one thread may see the flag and another not yet.
  [[nodiscard]] bool stopping() const noexcept { return control_->stopped(); }
  /// Runs a step that may throw. False if it did. run_team rethrows the exception; until then this
  /// thread must still call barrier() with the others, until all leave together.
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

/// body(const Team&) on `threads` threads at once, or on as many as the system can run: see size().
/// A body must not throw while other threads wait at barriers; steps that may throw belong in
/// guard().
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

/// Calls work() on the calling thread. Between the parallel loops in it the other threads spin. For
/// loops that take microseconds and follow each other within a tenth of a millisecond. Teams and
/// tasks inside work() have one thread.
template <class Work>
void with_spinning_pool(Work&& work) {
  const int threads = omp_in_parallel() ? 1 : num_threads();
  if (threads == 1) return work();
  SpinningPool pool(threads, threads <= omp_get_num_procs());
  run_team(threads,
           [&](const Team& team) { team.rank() == 0 ? pool.own(work) : pool.serve(team.rank()); });
}

/// Interface of a task of parallel_tasks to the thread that runs it.
class Worker {
 public:
  Worker(const Team& team, std::atomic<std::int64_t>& done, std::int64_t total)
      : team_(team), done_(done), total_(total) {}

  /// Index of the thread, below the number of threads.
  [[nodiscard]] int rank() const noexcept { return team_.rank(); }
  /// On the calling thread, polls for Ctrl-C. False: the task should return, its result is not
  /// used.
  [[nodiscard]] bool keep_on() const {
    if (team_.rank() == 0) report_progress(done_.load(std::memory_order_relaxed), total_);
    return !team_.stopping();
  }
  /// Adds to the units of work that are done.
  void finish(std::int64_t units) const { done_.fetch_add(units, std::memory_order_relaxed); }

 private:
  const Team& team_;
  std::atomic<std::int64_t>& done_;
  const std::int64_t total_;
};

namespace detail {

/// The hooks of threads other than the calling one, whose own hooks check for Ctrl-C. A loop inside
/// a task polls them, and they throw if the tasks have been stopped. That exception ends the task
/// and is dropped, since another one came first.
class StopHooks final : public CallHooks {
 public:
  explicit StopHooks(const Team& team) : team_(team) {}
  /// Not inlined by speculative devirtualisation into the functions that poll: GCC 12 would give
  /// false warnings there.
  [[gnu::noinline]] void poll() override {
    if (team_.stopping()) throw Stopped{};
  }
  void progress(std::int64_t, std::int64_t) override {}

 private:
  struct Stopped {};
  const Team& team_;
};

}  // namespace detail

/// Checks of the other threads before the first sleep between checks: some tens of microseconds.
inline constexpr int checks_before_sleep = 64;

/// task(const Worker&, i) for every i in 0..n, on at most `threads` threads. A task that takes
/// longer calls keep_on() about every millisecond, or polls, as parallel loops inside it do.
/// `total` units of work are reported as progress.
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
    // The calling thread alone polls for Ctrl-C, so it goes on while it waits for the others.
    team.guard([&] {
      for (int check = 0; idle.load(std::memory_order_acquire) < team.size(); ++check) {
        if (!worker.keep_on()) break;
        if (check < checks_before_sleep) {
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
