// Synchronisation of threads in rounds of microseconds.
#pragma once

#include "core/processor/instructions.hpp"

#include <atomic>
#include <cstdint>

namespace warpgraph {

/// Spin-then-park waiting: a thread spins as long as a round may take, then sleeps. OpenMP's
/// barrier spins for milliseconds; on a loaded machine that occupies the core that the awaited
/// thread needs.
class SpinThenPark {
 public:
  /// Makes a waiter. With more threads than cores there is no spinning: it would only delay the
  /// other threads. 1000 spins take 20 to 50 microseconds.
  explicit SpinThenPark(bool enough_cores, int spins = 1000) noexcept
      : spins_(enough_cores ? spins : 0) {}

  /// Waits until is_over(value of `place`). The thread that changes the value calls notify_all().
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
  const int spins_;
};

/// A number that one thread sets and others wait for.
class Signal {
 public:
  explicit Signal(std::uint32_t value = 0) noexcept : value_(value) {}

  /// Sets the value. The thread's earlier writes are visible to threads that wait for it.
  void set(std::uint32_t value) noexcept {
    // An exchange: a plain store could be reordered with notify_all()'s test for sleepers.
    value_.exchange(value);
    value_.notify_all();
  }
  void wait_for(std::uint32_t value, const SpinThenPark& spin_then_park) const noexcept {
    spin_then_park.wait(value_, [value](std::uint32_t seen) { return seen == value; });
  }

 private:
  std::atomic<std::uint32_t> value_;
};

class Barrier {
 public:
  explicit Barrier(const SpinThenPark& spin_then_park) noexcept : spin_then_park_(spin_then_park) {}

  /// Waits until `size` threads have arrived; their earlier writes are then visible.
  void wait(int size) noexcept {
    const std::uint32_t turn = turn_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size) {
      arrived_.store(0, std::memory_order_relaxed);
      turn_.fetch_add(1, std::memory_order_release);
      turn_.notify_all();
      return;
    }
    spin_then_park_.wait(turn_, [turn](std::uint32_t seen) { return seen != turn; });
  }

 private:
  const SpinThenPark spin_then_park_;
  // On separate cache lines: arrivals do not invalidate the line that waiting threads read.
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> turn_{0};
};

}  // namespace warpgraph
