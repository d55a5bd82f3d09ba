// Parallel primitives on CPU cores. parallel.cpp is the only file that uses OpenMP.
//
// A loop is divided into blocks, and idle threads fetch the next block (dynamic scheduling).
// Between blocks, and while it waits for the other threads, the calling thread polls for Ctrl-C,
// and each thread checks whether an exception has ended the loop. So a loop of any length can be
// interrupted, and an exception of any thread reaches the caller. A body that takes more than a few
// milliseconds polls, too: on other threads, that ends it if the loop has ended.
//
// Results do not depend on the number of threads if no two iterations write to the same location
// and reductions use an associative, commutative operation.
//
// Loops and teams are compiled once, in parallel.cpp, and call their body through a FunctionRef:
// once a block. As templates they were a quarter of the compile time.
#pragma once

#include "core/function_ref.hpp"
#include "core/interrupt.hpp"
#include "core/threads/barrier.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace warpgraph {

/// Returns the number of threads of a parallel loop: the number that the current call began with
/// (CallThreads), or configured_threads() outside of a call.
int num_threads() noexcept;
/// Returns the argument of set_num_threads(n), else OMP_NUM_THREADS, else the number of all cores.
int configured_threads() noexcept;
/// Returns the number of threads for rounds of microseconds, each of which ends when all threads
/// have done their part: num_threads(), but no more than the cores that are free, unless
/// set_num_threads(n) has asked for n. A thread that waits for its turn beside other programs
/// delays a round by milliseconds: with two busy programs on two cores, searches took twice as long
/// as with one thread. 1 in a parallel loop.
int threads_for_rounds() noexcept;
/// Sets the number of threads, n >= 1; 0 restores the default. Running calls keep the number that
/// they began with.
void set_num_threads(int n);

/// Fixes num_threads() on this thread until the destructor. A call sizes arrays by that number and
/// starts as many threads later. Another thread, or the call's own progress callable, may call
/// set_num_threads() in between.
class CallThreads {
 public:
  explicit CallThreads(int threads) noexcept : previous_(std::exchange(of_this_thread_, threads)) {}
  ~CallThreads() { of_this_thread_ = previous_; }
  CallThreads(const CallThreads&) = delete;
  CallThreads& operator=(const CallThreads&) = delete;
  /// Returns the number that is fixed on this thread, or 0 if none is.
  static int of_this_thread() noexcept { return of_this_thread_; }

 private:
  static inline thread_local int of_this_thread_ = 0;
  int previous_;
};

/// Number of iterations per block: enough to hide the cost of fetching it, few enough for Ctrl-C.
inline constexpr std::int64_t default_grain = 2048;
/// Number of iterations per block for bodies of about a nanosecond. Fewer iterations take less time
/// than waking a thread, and run on the calling one.
inline constexpr std::int64_t light_grain = 1 << 14;

/// State that the threads of one parallel loop share: the first exception, and the stop flag.
class LoopControl {
 public:
  [[nodiscard]] bool stopped() const noexcept { return stop_.load(std::memory_order_relaxed); }

  /// Runs `step`. Returns false if it threw; rethrow() throws the first exception of all threads.
  template <class Step>
  bool guard(Step&& step) noexcept {
    try {
      step();
      return true;
    } catch (...) {
      stop_with_current_exception();
      return false;
    }
  }

  /// Ends the loop by an exception that was made before; throws and allocates nothing itself.
  void stop_with(const std::exception_ptr& error) noexcept {
    if (!taken_.test_and_set()) error_ = error;
    stop_.store(true, std::memory_order_relaxed);
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void stop_with_current_exception() noexcept;

  std::atomic<bool> stop_{false};
  std::atomic_flag taken_ = ATOMIC_FLAG_INIT;
  std::exception_ptr error_;
};

/// Returns the upper bound of `thread` in loops here: num_threads(), but no more than the spinning
/// pool has.
int threads_of_loop() noexcept;

/// Calls body(thread, first, last) for disjoint blocks that cover 0 .. n - 1. `thread` <
/// threads_of_loop().
void parallel_blocks(std::int64_t n, std::int64_t grain,
                     FunctionRef<void(int, std::int64_t, std::int64_t)> body);

/// Calls body(i) for every i in 0 .. n - 1, in any order, on all threads.
template <class Body>
void parallel_for(std::int64_t n, Body&& body, std::int64_t grain = default_grain) {
  parallel_blocks(n, grain, [&](int, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) body(i);
  });
}

/// Returns the reduction of map(i), i in 0 .. n - 1, by `combine`, which must be associative and
/// commutative.
template <class T, class Map, class Combine>
T parallel_reduce(std::int64_t n, T identity, Map&& map, Combine&& combine,
                  std::int64_t grain = default_grain) {
  struct alignas(64) Partial {
    T value;
  };
  const int threads = threads_of_loop();
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

/// Returns the smallest i in 0 .. n - 1 for which bad(i), or n.
template <class Bad>
std::int64_t parallel_find_first(std::int64_t n, Bad&& bad) {
  std::atomic<std::int64_t> first{n};
  parallel_blocks(n, 1 << 15, [&](int, std::int64_t begin, std::int64_t end) {
    if (begin >= first.load(std::memory_order_relaxed)) return;
    // No branches in this loop, so that it vectorises. Only a block that has a bad i is searched
    // for it.
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
  constexpr std::int64_t block = 1 << 14;
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

/// Sorts by `less`, as std::sort does, and polls. Equivalent items may be in another order.
template <class Iterator, class Less = std::less<>>
void sort_with_polls(Iterator first, Iterator last, Less less = {}) {
  constexpr std::int64_t sorted_at_once = 1 << 16;  // in milliseconds
  std::int64_t n = 0;
  // As many divisions as a sort in n log n has, if pivots are good; else the rest is sorted at
  // once.
  for (int divisions = 64; (n = std::distance(first, last)) > sorted_at_once && divisions > 0;
       --divisions) {
    poll();
    const auto [low, high] = std::minmax(first[n / 4], first[n / 2], less);
    const auto pivot = std::max(low, std::min(high, first[n - n / 4], less), less);
    const Iterator middle =
        std::partition(first, last, [&](const auto& item) { return less(item, pivot); });
    if (middle == first) {  // the pivot is one of the least
      first = std::partition(first, last, [&](const auto& item) { return !less(pivot, item); });
      continue;
    }
    if (middle - first < last - middle) {
      sort_with_polls(first, middle, less);
      first = middle;
    } else {
      sort_with_polls(middle, last, less);
      last = middle;
    }
  }
  std::sort(first, last, less);
}

/// Sorts by `less`. If that is a strict total order, the result does not depend on the threads.
template <class Iterator, class Less = std::less<>>
void parallel_sort(Iterator first, Iterator last, Less less = {}) {
  const std::int64_t n = std::distance(first, last);
  constexpr std::int64_t smallest_piece = 1 << 14;
  const std::int64_t pieces = std::min<std::int64_t>(num_threads(), n / smallest_piece);
  if (pieces <= 1) {
    sort_with_polls(first, last, less);
    return;
  }
  std::vector<Iterator> cuts;
  for (std::int64_t p = 0; p <= pieces; ++p) cuts.push_back(first + n * p / pieces);
  const auto cut = [&](std::int64_t p) {
    return cuts[static_cast<std::size_t>(std::min(p, pieces))];
  };
  parallel_for(
      pieces, [&](std::int64_t p) { sort_with_polls(cut(p), cut(p + 1), less); }, 1);
  for (std::int64_t width = 1; width < pieces; width *= 2) {
    parallel_for((pieces + 2 * width - 1) / (2 * width),
                 [&](std::int64_t pair) {
                   const std::int64_t p = 2 * width * pair;
                   std::inplace_merge(cut(p), cut(p + width), cut(p + 2 * width), less);
                 },
                 1);
  }
}

/// Sorts numbers of rows by `less`, a strict total order: compiled once, for orders whose
/// comparisons take longer than a call.
void parallel_sort_rows(std::span<std::int64_t> rows,
                        FunctionRef<bool(std::int64_t, std::int64_t)> less);
void parallel_sort_rows(std::span<std::int32_t> rows,
                        FunctionRef<bool(std::int32_t, std::int32_t)> less);

class TaskContext;

/// A team in OpenMP's sense: threads that run one body together and synchronise at barriers. For
/// algorithms whose rounds are too short for a parallel loop each.
class Team {
 public:
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  /// Waits until all threads of the team have called it.
  void barrier() const noexcept {
    if (size_ > 1) barrier_->wait(size_);
  }
  /// Waits until another thread has set the signal to `value`. That thread's earlier writes are
  /// then visible. If each thread has its own signal, with data next to it, waiting for all of them
  /// is a barrier without a counter that all threads write to.
  void wait_for(const Signal& signal, std::uint32_t value) const noexcept {
    signal.wait_for(value, *spin_then_park_);
  }
  /// Returns whether a step of any thread has thrown; for ending a round early. Threads decide
  /// after a barrier whether to leave: before it, one thread may see the flag and another not yet.
  [[nodiscard]] bool stopping() const noexcept { return control_->stopped(); }
  /// Runs a step that may throw, and returns false if it did. run_team rethrows the exception;
  /// until then this thread must still call barrier() with the others, until all leave together.
  template <class Step>
  bool guard(Step&& step) const noexcept {
    return control_->guard(std::forward<Step>(step));
  }

 private:
  friend void run_team(int threads, FunctionRef<void(const Team&)> body);
  friend void parallel_tasks(std::int64_t n, int threads, std::int64_t total,
                             FunctionRef<void(const TaskContext&, std::int64_t)> task);
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

/// Calls body(const Team&) on `threads` threads at once, or on as many as the system can run: see
/// size(). A body must not throw while other threads wait at barriers; steps that may throw belong
/// in guard().
void run_team(int threads, FunctionRef<void(const Team&)> body);

/// Calls work() on the calling thread. Between the parallel loops in it the other threads spin. For
/// loops that take microseconds and follow each other within a tenth of a millisecond. Teams and
/// tasks inside work() have one thread.
void with_spinning_pool(FunctionRef<void()> work);

/// Access of a task of parallel_tasks to the thread that runs it.
class TaskContext {
 public:
  TaskContext(const Team& team, std::atomic<std::int64_t>& done, std::int64_t total)
      : team_(team), done_(done), total_(total) {}

  /// Returns the index of the thread, below the number of threads.
  [[nodiscard]] int rank() const noexcept { return team_.rank(); }
  /// Polls for Ctrl-C, on the calling thread. Returns false if the task should return because its
  /// result is not used.
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

/// Calls task(const TaskContext&, i) for every i in 0 .. n - 1, on at most `threads` threads. A
/// task that takes longer calls keep_on() about every millisecond, or polls, as parallel loops
/// inside it do. `total` units of work are reported as progress.
void parallel_tasks(std::int64_t n, int threads, std::int64_t total,
                    FunctionRef<void(const TaskContext&, std::int64_t)> task);

}  // namespace warpgraph
