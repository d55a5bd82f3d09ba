#include "core/threads/parallel.hpp"

#include "core/error.hpp"
#include "core/threads/free_cores.hpp"
#include "core/threads/spinning_pool.hpp"
#include "core/threads/thread_locals.hpp"

#include <cctype>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <omp.h>
#include <optional>
#include <pthread.h>
#include <string_view>
#include <thread>

namespace warpgraph {
namespace {

constexpr int max_threads = 4096;
std::atomic<int> chosen_threads{0};

/// True if OMP_WAIT_POLICY=active lets OpenMP's idle threads spin, so that they look busy.
const bool idle_threads_spin = [] {
  const char* const policy = std::getenv("OMP_WAIT_POLICY");
  return policy != nullptr && (*policy == 'a' || *policy == 'A');
}();

/// Number of threads in OpenMP's pool for the calling thread, itself included.
thread_local int kept_threads = 1;
/// Number of threads that the system has granted, once it has refused to start more.
thread_local int granted_threads = std::numeric_limits<int>::max();

/// Returns the bytes of the stacks of OpenMP's threads, read as GCC's OpenMP does; 0 for the
/// system's default.
std::size_t chosen_stack_bytes() {
  for (const char* const name : {"OMP_STACKSIZE", "GOMP_STACKSIZE"}) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    char* unit = nullptr;
    const unsigned long long n = std::strtoull(text, &unit, 10);
    while (std::isspace(static_cast<unsigned char>(*unit)) != 0) ++unit;
    constexpr std::string_view units = "bkmg";
    const std::size_t i = *unit == '\0' ? 1 : units.find(static_cast<char>(std::tolower(*unit)));
    if (unit == text || i == units.npos) continue;
    const std::size_t shift = 10 * i;
    return static_cast<std::size_t>(std::min(n, ~0ULL >> shift)) << shift;
  }
  return 0;
}

/// Threads like OpenMP's, which do nothing until the destructor ends them. Each takes its memory
/// for thread-local variables, which the C library keeps in an arena for the next thread: taken
/// later, it could be missing, or be needed for the stack of another thread.
class IdleThreads {
 public:
  IdleThreads() {
    pthread_attr_init(&attributes_);
    if (const std::size_t bytes = chosen_stack_bytes(); bytes > 0) {
      pthread_attr_setstacksize(&attributes_, bytes);
    }
  }
  ~IdleThreads() {
    end();
    pthread_attr_destroy(&attributes_);
  }
  IdleThreads(const IdleThreads&) = delete;
  IdleThreads& operator=(const IdleThreads&) = delete;

  /// Starts threads until there are n, or the system refuses one.
  void start(int n) {
    threads_.reserve(static_cast<std::size_t>(n));
    pthread_t thread{};
    while (std::ssize(threads_) < n &&
           pthread_create(&thread, &attributes_, &wait_for_end, this) == 0) {
      threads_.push_back(thread);
    }
  }
  /// Ends the threads, and returns how many had memory.
  int end() {
    over_.store(true);
    over_.notify_all();
    for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
    threads_.clear();
    return n_with_memory_.load();
  }

 private:
  static void* wait_for_end(void* of) {
    auto& self = *static_cast<IdleThreads*>(of);
    void* const memory = std::malloc(bytes_of_thread_locals);
    if (memory != nullptr) self.n_with_memory_.fetch_add(1);
    self.over_.wait(false);
    std::free(memory);
    return nullptr;
  }

  pthread_attr_t attributes_{};
  std::vector<pthread_t> threads_;
  std::atomic<bool> over_{false};
  std::atomic<int> n_with_memory_{0};
};

/// Returns how many of `wanted` threads the system can run at once, `kept` of which exist. OpenMP
/// can start as many as were started idle and have ended again.
int startable_threads(int kept, int wanted) {
  IdleThreads threads;
  threads.start(wanted - kept);
  return kept + threads.end();
}

/// Ends OpenMP's threads before a fork: a forked child has none of its parent's threads, and OpenMP
/// would wait for them for ever. In a parallel region that is impossible, but then the child is in
/// that region as well, and starts no threads.
void end_threads_before_fork() {
  if (omp_pause_resource_all(omp_pause_hard) == 0) kept_threads = 1;
}

[[maybe_unused]] const int registered = pthread_atfork(&end_threads_before_fork, nullptr, [] {
  Forks::note();
  SpinningPool::forget_after_fork();
});

/// Returns the size of the OpenMP team that runs a body on `threads` threads. It is no smaller than
/// the calling thread's previous team, although some threads then idle: GCC's OpenMP ends the
/// threads that a smaller team leaves over, and starts new ones for the next large loop, which took
/// 0.4 milliseconds on 16 cores. It is no larger than the system allows: GCC's OpenMP ends the
/// process if it cannot start a thread.
int threads_to_call(int threads) {
  const int most = std::max(threads, num_threads());
  const int wanted = std::min(std::clamp(kept_threads, threads, most), granted_threads);
  if (wanted > kept_threads) {
    const int startable = startable_threads(kept_threads, wanted);
    if (startable < wanted) granted_threads = startable;
    kept_threads = startable;
  } else {
    kept_threads = wanted;
  }
  return kept_threads;
}

/// Calls body(thread) on `threads` threads, or on as many as the system can run.
void run_parallel(int threads, FunctionRef<void(int)> body) {
  const int of_call = num_threads();
#pragma omp parallel num_threads(threads_to_call(threads))
  {
    prepare_to_throw();
    const CallThreads same_as_caller(of_call);
    body(omp_get_thread_num());
  }
}

/// The hooks of threads other than the calling one, whose own hooks check for Ctrl-C. The body of a
/// loop or a task polls them, and they throw if the work has been stopped. That exception ends the
/// body and is dropped, since another one came first.
class StopHooks final : public CallHooks {
 public:
  explicit StopHooks(const LoopControl& control) : control_(control) {}
  void poll() override {
    if (control_.stopped()) throw Stopped{};
  }
  void progress(std::int64_t, std::int64_t) override {}

 private:
  struct Stopped {};
  const LoopControl& control_;
};

/// The threads other than the calling one that are in a parallel loop. The calling thread polls
/// until they have left it: OpenMP's barrier would not, and a last block may take seconds.
class OtherThreads {
 public:
  void enter() noexcept { n_inside_.fetch_add(1); }
  void leave() noexcept {
    if (n_inside_.fetch_sub(1) > 1 || !caller_sleeps_.load()) return;
    const std::lock_guard lock(mutex_);
    all_left_.notify_one();
  }
  /// Waits on the calling thread until all have left, or poll() has thrown or returned false.
  template <class Poll>
  void wait(Poll&& poll) {
    for (int check = 0; check < checks_before_sleep; ++check) {
      if (n_inside_.load() == 0 || !poll()) return;
      std::this_thread::yield();
    }
    std::unique_lock lock(mutex_);
    caller_sleeps_.store(true);
    while (n_inside_.load() > 0) {
      all_left_.wait_for(lock, time_between_polls);
      lock.unlock();  // a signal's handler may take long
      if (!poll()) return;
      lock.lock();
    }
  }

 private:
  /// Half a millisecond. Most loops are over then, and the calling thread need not be woken.
  static constexpr int checks_before_sleep = 1000;
  static constexpr std::chrono::milliseconds time_between_polls{20};

  std::atomic<int> n_inside_{0};
  std::atomic<bool> caller_sleeps_{false};
  std::mutex mutex_;
  std::condition_variable all_left_;
};

}  // namespace

int configured_threads() noexcept {
  const int chosen = chosen_threads.load(std::memory_order_relaxed);
  return chosen > 0 ? chosen : std::clamp(omp_get_max_threads(), 1, max_threads);
}

int num_threads() noexcept {
  const int of_call = CallThreads::of_this_thread();
  return of_call > 0 ? of_call : configured_threads();
}

int threads_for_rounds() noexcept {
  const int threads = omp_in_parallel() ? 1 : num_threads();
  const bool is_chosen = chosen_threads.load(std::memory_order_relaxed) > 0;
  return threads == 1 || is_chosen || idle_threads_spin ? threads : std::min(threads, free_cores());
}

void set_num_threads(int n) {
  EXPECTS(n >= 0 && n <= max_threads, "the number of threads must be in 1..", max_threads,
          " (0: all cores), got ", n);
  chosen_threads.store(n, std::memory_order_relaxed);
}

void LoopControl::stop_with_current_exception() noexcept { stop_with(std::current_exception()); }

int threads_of_loop() noexcept {
  const SpinningPool* const pool = SpinningPool::current();
  return pool != nullptr ? std::min(pool->size(), num_threads()) : num_threads();
}

void parallel_blocks(std::int64_t n, std::int64_t grain,
                     FunctionRef<void(int, std::int64_t, std::int64_t)> body) {
  if (n <= 0) return;
  grain = std::max<std::int64_t>(grain, 1);
  SpinningPool* const pool = SpinningPool::current();
  // Inside a parallel loop the other threads are busy.
  const int most = pool == nullptr && omp_in_parallel() ? 1 : threads_of_loop();
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
      StopHooks hooks(control);
      std::optional<ScopedHooks> installed;
      if (thread != 0) installed.emplace(hooks);
      while (!control.stopped()) {
        poll();
        const std::int64_t first = next.fetch_add(grain, std::memory_order_relaxed);
        if (first >= n) break;
        body(thread, first, std::min(first + grain, n));
      }
    });
  };
  if (pool != nullptr) {
    // Any thread of the pool may be awake; the body's arrays may have a place for each of fewer.
    const auto fetch_if_counted = [&](int thread) {
      if (thread < most) fetch_blocks(thread);
    };
    pool->run_on_all(fetch_if_counted, [&] { control.guard([] { poll(); }); });
  } else {
    OtherThreads others;
    run_parallel(threads, [&](int thread) {
      if (thread != 0) others.enter();
      fetch_blocks(thread);
      if (thread != 0) {
        others.leave();
      } else if (has_hooks()) {
        control.guard([&] {
          others.wait([] {
            poll();
            return true;
          });
        });
      }
    });
  }
  control.rethrow();
}

void run_team(int threads, FunctionRef<void(const Team&)> body) {
  LoopControl control;
  const bool is_alone = threads <= 1 || omp_in_parallel();
  // The number of cores is asked of the system: that takes as long as a small task.
  const SpinThenPark spin_then_park(!is_alone && threads <= omp_get_num_procs());
  Barrier barrier(spin_then_park);
  if (is_alone) {
    const Team team(0, 1, &control, &spin_then_park, &barrier);
    control.guard([&] { body(team); });
  } else {
    run_parallel(threads, [&](int rank) {
      const int size = std::min(threads, omp_get_num_threads());
      if (rank >= size) return;
      const Team team(rank, size, &control, &spin_then_park, &barrier);
      control.guard([&] { body(team); });
    });
  }
  control.rethrow();
}

void with_spinning_pool(FunctionRef<void()> work) {
  const int threads = threads_for_rounds();
  const auto with_these = [&] {
    const CallThreads fixed(threads);
    work();
  };
  if (threads == 1) return with_these();
  SpinningPool pool(threads, threads <= omp_get_num_procs());
  run_team(threads, [&](const Team& team) {
    team.rank() == 0 ? pool.own(with_these) : pool.serve(team.rank());
  });
}

void parallel_sort_rows(std::span<std::int64_t> rows,
                        FunctionRef<bool(std::int64_t, std::int64_t)> less) {
  parallel_sort(rows.begin(), rows.end(), less);
}
void parallel_sort_rows(std::span<std::int32_t> rows,
                        FunctionRef<bool(std::int32_t, std::int32_t)> less) {
  parallel_sort(rows.begin(), rows.end(), less);
}

void parallel_tasks(std::int64_t n, int threads, std::int64_t total,
                    FunctionRef<void(const TaskContext&, std::int64_t)> task) {
  std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> done{0};
  OtherThreads others;
  run_team(static_cast<int>(std::min<std::int64_t>(threads, n)), [&](const Team& team) {
    const TaskContext context(team, done, total);
    const bool is_caller = team.rank() == 0;
    if (!is_caller) others.enter();
    team.guard([&] {
      StopHooks hooks(*team.control_);
      std::optional<ScopedHooks> installed;
      if (!is_caller) installed.emplace(hooks);
      while (context.keep_on()) {
        const std::int64_t i = next.fetch_add(1, std::memory_order_relaxed);
        if (i >= n) break;
        task(context, i);
      }
    });
    if (!is_caller) return others.leave();
    team.guard([&] { others.wait([&] { return context.keep_on(); }); });
  });
  report_progress(total, total);
}

}  // namespace warpgraph
