// Threads that stay awake between the loops that one of them shares out.
#pragma once

#include "core/threads/barrier.hpp"

#include <atomic>
#include <cstdint>
#include <thread>

namespace warpgraph {

/// OpenMP's threads sleep after every loop, and to wake 16 of them takes 30 to 300 microseconds:
/// as long as a loop over 8 MB. A crew spins for about as long before it sleeps. Who sleeps all the
/// same, or comes late, is not waited for.
class Crew {
 public:
  Crew(int size, bool enough_cores) noexcept : size_(size), patience_(enough_cores, spins) {}

  /// Ranks are less, whatever set_num_threads() is told meanwhile.
  [[nodiscard]] int size() const noexcept { return size_; }

  /// The crew that the calling thread leads, and that has nothing to do; or nullptr.
  static Crew* led() noexcept { return led_; }
  /// In a forked child there is nobody to lead.
  static void forget_after_fork() noexcept { led_ = nullptr; }

  /// lead() on the calling thread, for which led() then is this crew. Ends the crew.
  template <class Lead>
  void run(Lead&& lead) {
    const Leading leading(*this);
    lead();
  }
  /// What the others call: it returns when the leader is done.
  void follow(int rank) noexcept {
    for (std::uint32_t seen = 0; !ended_.load(std::memory_order_acquire);) {
      take_part(rank);
      patience_.wait(turn_, [seen](std::uint32_t turn) { return turn != seen; });
      seen = turn_.load(std::memory_order_acquire);
    }
  }

  /// job(rank) by all who are awake, the leader first of all; returns when nobody is at it any
  /// more. A job must not throw.
  template <class Job>
  void share(const Job& job) noexcept {
    const Call call{[](const void* of, int rank) { (*static_cast<const Job*>(of))(rank); }, &job};
    led_ = nullptr;  // loops inside the job are the thread's own
    call_.store(&call);
    next_turn();
    job(0);
    call_.store(nullptr);
    // Whoever took the call had come in before; whoever comes in now finds none.
    for (int turn = 0; inside_.load() != 0; ++turn) {
      if (turn >= spins) std::this_thread::yield();
    }
    led_ = this;
  }

 private:
  static constexpr int spins = 8000;  // 150 to 400 microseconds

  struct Call {
    void (*run)(const void* job, int rank);
    const void* job;
  };
  class Leading {
   public:
    explicit Leading(Crew& crew) noexcept : crew_(crew) { led_ = &crew; }
    ~Leading() {
      led_ = nullptr;
      crew_.ended_.store(true, std::memory_order_release);
      crew_.next_turn();
    }
    Leading(const Leading&) = delete;
    Leading& operator=(const Leading&) = delete;

   private:
    Crew& crew_;
  };

  void take_part(int rank) noexcept {
    inside_.fetch_add(1);
    if (const Call* const call = call_.load(); call != nullptr) call->run(call->job, rank);
    inside_.fetch_sub(1);
  }
  void next_turn() noexcept {
    turn_.fetch_add(1);
    turn_.notify_all();
  }

  static inline thread_local Crew* led_ = nullptr;

  const int size_;
  const Patience patience_;
  std::atomic<bool> ended_{false};
  alignas(64) std::atomic<std::uint32_t> turn_{0};
  alignas(64) std::atomic<const Call*> call_{nullptr};
  alignas(64) std::atomic<int> inside_{0};
};

}  // namespace warpgraph
