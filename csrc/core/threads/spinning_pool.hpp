// A thread pool whose threads spin between the parallel loops of one caller.
#pragma once

#include "core/threads/barrier.hpp"
#include "core/threads/fork_safe_mutex.hpp"

#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>

namespace warpgraph {

/// A pool of threads that spin before they sleep. OpenMP's threads sleep after each loop; waking 16
/// of them takes 30 to 300 microseconds, as long as a loop over 8 MB, and these spin for about as
/// long. A loop does not wait for threads that are asleep or late: threads that are awake do their
/// work.
class SpinningPool {
 public:
  SpinningPool(int size, bool enough_cores) noexcept
      : size_(size), spin_then_park_(enough_cores, spins) {}

  /// Returns the upper bound of ranks. set_num_threads() does not change it.
  [[nodiscard]] int size() const noexcept { return size_; }

  /// Returns the idle pool that the calling thread owns, or nullptr.
  static SpinningPool* current() noexcept { return current_; }
  /// Leaves the pool in a forked child, which has none of its threads.
  static void forget_after_fork() noexcept { current_ = nullptr; }

  /// Scope in which the calling thread owns no pool: its arrays may have a place for each of fewer
  /// threads.
  class Aside {
   public:
    Aside() noexcept : pool_(std::exchange(current_, nullptr)) {}
    ~Aside() { current_ = Forks::count() == forks_before_ ? pool_ : nullptr; }
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;

   private:
    SpinningPool* const pool_;
    const std::uint32_t forks_before_ = Forks::count();
  };

  /// Calls work() on the calling thread, which owns the pool meanwhile; then ends the pool.
  template <class Work>
  void own(Work&& work) {
    const Ownership ownership(*this);
    work();
  }
  /// Runs the jobs of a thread other than the owner, until own() has returned.
  void serve(int rank) noexcept {
    for (std::uint32_t seen = 0; !ended_.load(std::memory_order_acquire);) {
      run_job(rank);
      spin_then_park_.wait(epoch_, [seen](std::uint32_t epoch) { return epoch != seen; });
      seen = epoch_.load(std::memory_order_acquire);
    }
  }

  /// Calls job(rank) on the owner and on each thread that is awake. Returns when all calls have
  /// returned. While the owner waits longer for others, it calls while_waiting() again and again.
  /// Neither may throw.
  template <class Job, class WhileWaiting>
  void run_on_all(const Job& job, const WhileWaiting& while_waiting) noexcept {
    const Call call{[](const void* of, int rank) { (*static_cast<const Job*>(of))(rank); }, &job};
    current_ = nullptr;  // parallel loops inside the job run on their own thread
    call_.store(&call);
    advance();
    job(0);
    call_.store(nullptr);
    // A thread that read `call` had incremented inside_ before; a thread that increments it now
    // reads nullptr.
    for (int turn = 0; inside_.load() != 0; ++turn) {
      if (turn < spins) continue;
      while_waiting();
      std::this_thread::yield();
    }
    current_ = this;
  }

 private:
  static constexpr int spins = 8000;  // 150 to 400 microseconds

  struct Call {
    void (*run)(const void* job, int rank);
    const void* job;
  };
  class Ownership {
   public:
    explicit Ownership(SpinningPool& pool) noexcept : pool_(pool) { current_ = &pool; }
    ~Ownership() {
      current_ = nullptr;
      pool_.ended_.store(true, std::memory_order_release);
      pool_.advance();
    }
    Ownership(const Ownership&) = delete;
    Ownership& operator=(const Ownership&) = delete;

   private:
    SpinningPool& pool_;
  };

  void run_job(int rank) noexcept {
    inside_.fetch_add(1);
    if (const Call* const call = call_.load(); call != nullptr) call->run(call->job, rank);
    inside_.fetch_sub(1);
  }
  void advance() noexcept {
    epoch_.fetch_add(1);
    epoch_.notify_all();
  }

  static inline thread_local SpinningPool* current_ = nullptr;

  const int size_;
  const SpinThenPark spin_then_park_;
  std::atomic<bool> ended_{false};
  alignas(64) std::atomic<std::uint32_t> epoch_{0};
  alignas(64) std::atomic<const Call*> call_{nullptr};
  alignas(64) std::atomic<int> inside_{0};
};

}  // namespace warpgraph
