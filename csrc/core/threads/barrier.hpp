// Where threads wait for each other.
#pragma once

#include <atomic>
#include <cstdint>

namespace warpgraph {

/// How threads wait in rounds of microseconds: they spin as long as such a round may take, then
/// sleep. OpenMP's barrier spins for milliseconds, which on a machine with other work takes the
/// core from the very thread that is waited for.
class Patience {
 public:
  /// With more threads than cores, spinning only keeps the others from coming. 1000 looks take 20
  /// to 50 microseconds.
  explicit Patience(bool enough_cores, int looks = 1000) noexcept
      : spins_(enough_cores ? looks : 0) {}

  /// Returns when is_over(value of `place`); who makes it so calls notify_all().
  template <class IsOver>
  void wait(const std::atomic<std::uint32_t>& place, IsOver&& is_over) const noexcept {
    std::uint32_t seen = place.load(std::memory_order_acquire);
    for (int i = 0; i < spins_ && !is_over(seen); ++i) {
      relax_core();
      seen = place.load(std::memory_order_acquire);
    }
    while (!is_over(seen)) {
      place.wait(seen, std::memory_order_acquire);
      seen = place.load(std::memory_order_acquire);
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

  const int spins_;
};

/// A number that one thread sets and others wait for.
class Signal {
 public:
  explicit Signal(std::uint32_t value = 0) noexcept : value_(value) {}

  /// What the thread did before is visible to those that wait for this value.
  void set(std::uint32_t value) noexcept {
    // An exchange, since a plain store might pass the look at who sleeps.
    value_.exchange(value);
    value_.notify_all();
  }
  void wait_for(std::uint32_t value, const Patience& patience) const noexcept {
    patience.wait(value_, [value](std::uint32_t seen) { return seen == value; });
  }

 private:
  std::atomic<std::uint32_t> value_;
};

class Barrier {
 public:
  explicit Barrier(const Patience& patience) noexcept : patience_(patience) {}

  /// Returns when `size` threads have come, and what they did before is visible.
  void wait(int size) noexcept {
    const std::uint32_t turn = turn_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size) {
      arrived_.store(0, std::memory_order_relaxed);
      turn_.fetch_add(1, std::memory_order_release);
      turn_.notify_all();
      return;
    }
    patience_.wait(turn_, [turn](std::uint32_t seen) { return seen != turn; });
  }

 private:
  const Patience patience_;
  // Apart, so that who arrives does not disturb who looks.
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> turn_{0};
};

}  // namespace warpgraph
