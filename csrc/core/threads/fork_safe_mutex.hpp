// A mutex that a forked child finds free where another thread of its parent held it.
#pragma once

#include <atomic>
#include <cstdint>

namespace warpgraph {

/// The threads of this process and of those that it was forked from. A forked child has one of its
/// parent's threads, the one that forked.
class Forks {
 public:
  /// Returns the number of forks between this process and the first one.
  [[nodiscard]] static std::uint32_t count() noexcept { return count_; }
  /// Returns the number of the calling thread, which it keeps in a forked child. None is 0.
  [[nodiscard]] static std::uint32_t number_of_thread() noexcept {
    static std::atomic<std::uint32_t> numbers{0};
    thread_local const std::uint32_t number = numbers.fetch_add(1, std::memory_order_relaxed) + 1;
    return number;
  }
  /// Returns the number of the thread that came from the parent; 0 in a process without forks.
  [[nodiscard]] static std::uint32_t forked_thread() noexcept { return forked_thread_; }
  /// Notes that the calling thread is the only one of a new child.
  static void note() noexcept {
    count_ += 1;
    forked_thread_ = number_of_thread();
  }

 private:
  // Only a child changes them, while it has one thread.
  static inline std::uint32_t count_ = 0;
  static inline std::uint32_t forked_thread_ = 0;
};

/// A recursive mutex. In a forked child, a thread that held it and does not exist there has left
/// it.
class ForkSafeMutex {
 public:
  void lock() noexcept {
    const Owner self{Forks::count(), Forks::number_of_thread()};
    for (Owner owner = owner_.load(std::memory_order_relaxed); owner.thread != self.thread;) {
      if (exists(owner)) {
        owner_.wait(owner, std::memory_order_relaxed);
        owner = owner_.load(std::memory_order_relaxed);
      } else if (owner_.compare_exchange_weak(owner, self, std::memory_order_acquire,
                                              std::memory_order_relaxed)) {
        depth_ = 1;
        return;
      }
    }
    depth_ += 1;
  }
  void unlock() noexcept {
    depth_ -= 1;
    if (depth_ > 0) return;
    owner_.store({}, std::memory_order_release);
    owner_.notify_all();
  }

 private:
  struct Owner {
    std::uint32_t forks;  // when it locked
    std::uint32_t thread;
  };

  static bool exists(const Owner& owner) noexcept {
    return owner.thread != 0 &&
           (owner.forks == Forks::count() || owner.thread == Forks::forked_thread());
  }

  std::atomic<Owner> owner_{};
  int depth_ = 0;  // of the owner's calls of lock()
};

}  // namespace warpgraph
