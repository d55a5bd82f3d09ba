#include "core/threads/parallel.hpp"

#include "core/error.hpp"

#include <limits>
#include <new>
#include <pthread.h>

namespace warpgraph {
namespace {

std::atomic<int> chosen_threads{0};

/// The threads in OpenMP's pool for the calling thread, itself included.
thread_local int kept_threads = 1;
/// The system has refused to start more than this.
thread_local int granted_threads = std::numeric_limits<int>::max();

/// How many of `wanted` threads the system can run at once, `kept` of which exist. Starts idle
/// threads until there are `wanted` or the system refuses one, and ends them again. OpenMP can then
/// start as many. Each thread allocates once: the C library reserves an arena per thread, and keeps
/// it for the next one. Without it, a first allocation later could take the memory that the stack
/// of another thread needs.
int startable_threads(int kept, int wanted) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(wanted - kept));
  std::atomic<bool> over{false};
  try {
    while (kept + static_cast<int>(threads.size()) < wanted) {
      threads.emplace_back([&over] {
        ::operator delete(::operator new(1, std::nothrow));
        over.wait(false);
      });
    }
  } catch (const std::exception&) {  // no thread, or no memory for one
  }
  over.store(true);
  over.notify_all();
  for (std::thread& thread : threads) thread.join();
  return kept + static_cast<int>(threads.size());
}

/// A forked child has none of its parent's threads, and OpenMP would wait for them for ever. So the
/// thread that forks ends them before. In a parallel region it cannot, but then the child is in
/// that region as well, and starts no threads.
void end_threads_before_fork() {
  if (omp_pause_resource_all(omp_pause_hard) == 0) kept_threads = 1;
}

[[maybe_unused]] const int registered =
    pthread_atfork(&end_threads_before_fork, nullptr, &SpinningPool::forget_after_fork);

}  // namespace

int configured_threads() noexcept {
  const int chosen = chosen_threads.load(std::memory_order_relaxed);
  return chosen > 0 ? chosen : std::max(1, omp_get_max_threads());
}

int num_threads() noexcept {
  const int of_call = detail::threads_of_call;
  return of_call > 0 ? of_call : configured_threads();
}

void set_num_threads(int n) {
  EXPECTS(n >= 0 && n <= 4096, "the number of threads must be in 1..4096 (0: all cores), got ", n);
  chosen_threads.store(n, std::memory_order_relaxed);
}

int detail::threads_to_call(int threads) {
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

}  // namespace warpgraph
