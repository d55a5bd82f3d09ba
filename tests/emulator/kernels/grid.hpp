// A launch: its shape, its error, and the barrier of its blocks.
#pragma once

#include "cuda_runtime_api.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace emulator {

struct Random {
  std::uint64_t state;

  std::uint64_t next() noexcept {  // splitmix64
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// One of 0 .. n - 1, for n below 2^32.
  std::uint32_t below(std::size_t n) noexcept {
    return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32);
  }
};

/// From environment variables; README.md says what they mean.
struct Settings {
  std::uint64_t seed;
  unsigned workers;
  unsigned preemption;
  int devices;
  int multiprocessors;
  std::size_t memory;
  std::size_t l2_cache;
  bool launch_blocking;
};
const Settings& settings();

class Grid {
 public:
  /// `body` is the code of a thread, `shared` the bytes of dynamic shared memory of a block.
  Grid(dim3 blocks, dim3 threads, std::size_t shared, bool cooperative,
       const std::function<void()>& body);

  /// Runs all blocks. Returns the error message, or an empty string.
  std::string run();

  [[nodiscard]] unsigned threads_per_block() const noexcept {
    return threads_.x * threads_.y * threads_.z;
  }
  [[nodiscard]] dim3 blocks() const noexcept { return blocks_; }
  [[nodiscard]] dim3 threads() const noexcept { return threads_; }
  [[nodiscard]] std::size_t shared() const noexcept { return shared_; }
  [[nodiscard]] bool is_cooperative() const noexcept { return cooperative_; }
  [[nodiscard]] Random random_for(std::uint64_t block) const noexcept { return {seed_ ^ block}; }
  void run_thread() const { body_(); }

  /// The launch is over; its threads are never resumed.
  void fail(const std::string& reason);
  [[nodiscard]] bool has_failed() const noexcept {
    return has_failed_.load(std::memory_order_relaxed);
  }
  /// The grid barrier.
  void meet();

 private:
  void take_blocks();
  void run_block(std::uint64_t index);

  dim3 blocks_;
  dim3 threads_;
  std::size_t shared_;
  bool cooperative_;
  const std::function<void()>& body_;
  std::uint64_t n_blocks_;
  std::uint64_t seed_;
  std::uint64_t stride_ = 1;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> has_failed_{false};
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::string failure_;
  std::uint64_t n_waiting_ = 0;
  std::uint64_t n_ended_ = 0;
  std::uint64_t meeting_ = 0;
};

}  // namespace emulator
