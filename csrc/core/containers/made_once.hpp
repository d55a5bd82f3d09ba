// An object that is made on first use and kept.
#pragma once

#include "core/threads/fork_safe_mutex.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

namespace warpgraph {

/// An object that is made on first use, by any thread. A signal handler may run during make() and
/// need the object, too: its thread makes another one, and the first that is finished is kept. So
/// does a forked child, where a thread that was in make() does not exist.
template <class T>
class MadeOnce {
 public:
  /// Returns use(object). make() returns it in a std::unique_ptr the first time; if make() throws,
  /// none is kept. Other threads wait for both.
  template <class Make, class Use>
  decltype(auto) with(Make&& make, Use&& use) {
    const std::lock_guard lock(mutex_);
    if (!object_) {
      auto made = make();
      if (!object_) object_ = std::move(made);
    }
    made_.store(object_.get(), std::memory_order_release);
    return use(*object_);
  }

  /// Returns the object, or nullptr until it is made. Never waits, so a thread that holds Python's
  /// global lock may call this while the thread in with() needs that lock.
  [[nodiscard]] const T* if_made() const noexcept { return made_.load(std::memory_order_acquire); }

 private:
  ForkSafeMutex mutex_;
  std::unique_ptr<T> object_;
  std::atomic<const T*> made_{nullptr};
};

}  // namespace warpgraph
