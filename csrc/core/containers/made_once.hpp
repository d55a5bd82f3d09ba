// An object that is made on first use and kept.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

namespace warpgraph {

/// Thread-safe.
template <class T>
class MadeOnce {
 public:
  /// Returns use(object). make() returns it in a std::unique_ptr the first time; if make() throws,
  /// none is kept. Other threads wait for both.
  template <class Make, class Use>
  decltype(auto) with(Make&& make, Use&& use) {
    const std::lock_guard lock(mutex_);
    if (!object_) {
      object_ = make();
      made_.store(object_.get(), std::memory_order_release);
    }
    return use(*object_);
  }

  /// The object, or nullptr until it is made. Never waits: whoever holds Python's global lock may
  /// call this while the thread in with() needs that lock.
  [[nodiscard]] const T* if_made() const noexcept { return made_.load(std::memory_order_acquire); }

 private:
  std::mutex mutex_;
  std::unique_ptr<T> object_;
  std::atomic<const T*> made_{nullptr};
};

}  // namespace warpgraph
