// Poll points for Ctrl-C and progress.
//
// A long loop calls poll(), which calls the hooks that the caller of the library has installed. The
// Python binding's hooks check for pending signals and call progress=. A C++ caller has none, and a
// poll costs one thread-local load. Hooks belong to the thread that installed them. The worker
// threads of a parallel loop have none, or hooks that only check whether the loop has been stopped.
// So polling is safe on any thread, and concurrent calls do not share hooks.
#pragma once

#include <cstdint>

namespace warpgraph {

class CallHooks {
 public:
  virtual ~CallHooks() = default;
  /// Throws to end the call. Called often, so the hook itself limits the rate of expensive checks.
  virtual void poll() = 0;
  /// Reports that `done` of `total` units of work are finished.
  virtual void progress(std::int64_t done, std::int64_t total) = 0;
};

namespace detail {
inline thread_local CallHooks* current_hooks = nullptr;
}

/// Installs hooks on this thread, until the destructor restores the previous ones.
class ScopedHooks {
 public:
  explicit ScopedHooks(CallHooks& hooks) noexcept : ScopedHooks(&hooks) {}
  /// Installs these hooks, or none for nullptr.
  explicit ScopedHooks(CallHooks* hooks) noexcept : previous_(detail::current_hooks) {
    detail::current_hooks = hooks;
  }
  ~ScopedHooks() { detail::current_hooks = previous_; }
  ScopedHooks(const ScopedHooks&) = delete;
  ScopedHooks& operator=(const ScopedHooks&) = delete;

 private:
  CallHooks* previous_;
};

/// Returns whether this thread is in a call that has hooks.
inline bool has_hooks() noexcept { return detail::current_hooks != nullptr; }

/// Throws if the user has interrupted the call. It is cheap enough for every few microseconds of
/// work, but code that must not throw must not call it.
inline void poll() {
  if (detail::current_hooks != nullptr) detail::current_hooks->poll();
}

/// Polls at one of 1024 calls: for sequential loops whose steps take nanoseconds.
class OccasionalPoll {
 public:
  void operator()() {
    if (++n_calls_ % calls_per_poll == 0) poll();
  }

 private:
  static constexpr std::uint32_t calls_per_poll = 1024;
  std::uint32_t n_calls_ = 0;
};

/// Reports progress, and polls.
inline void report_progress(std::int64_t done, std::int64_t total) {
  if (detail::current_hooks == nullptr) return;
  detail::current_hooks->progress(done, total);
  detail::current_hooks->poll();
}

}  // namespace warpgraph
