// Where threads wait for each other.
#pragma once

#include <atomic>
#include <cstdint>

namespace warpgraph {

/// A barrier for rounds of microseconds: it spins as long as such a round may take, then sleeps.
/// OpenMP's own spins for milliseconds, which on a machine with other work takes the core from the
/// very thread that is waited for.
class Barrier {
 public:
  /// With more threads than cores, spinning only keeps the others from coming.
  explicit Barrier(bool enough_cores) noexcept : spins_(enough_cores ? 1000 : 0) {}

  /// Returns when `size` threads have come, and what they did before is visible.
  void wait(int size) noexcept {
    const std::uint32_t turn = turn_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size) {
      arrived_.store(0, std::memory_order_relaxed);
      turn_.fetch_add(1, std::memory_order_release);
      turn_.notify_all();
      return;
    }
    for (int i = 0; i < spins_; ++i) {
      if (turn_.load(std::memory_order_acquire) != turn) return;
      relax_core();
    }
    while (turn_.load(std::memory_order_acquire) == turn) {
      turn_.wait(turn, std::memory_order_acquire);
    }
  }

 private:
  static void relax_core() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  const int spins_;  // 1000 take 20 to 50 microseconds
  // Apart, so that who arrives does not disturb who looks.
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> turn_{0};
};

}  // namespace warpgraph
