// Poll points for Ctrl-C and progress.
//
// A long loop calls poll(); what that does is decided by whoever entered the library. The Python
// binding installs hooks that look for pending signals and call progress=; from C++ there are none
// and a poll costs one thread-local load. Hooks belong to the thread that installed them: the
// worker threads of a parallel loop have none, or others that only tell whether all are to stop, so
// polling is safe anywhere, and two calls at once do not meet.
#pragma once

#include <cstdint>

namespace warpgraph {

class CallHooks {
 public:
  virtual ~CallHooks() = default;
  /// Throws to end the call. Rate limiting is the hook's business.
  virtual void poll() = 0;
  /// `done` of `total` units of work are finished.
  virtual void progress(std::int64_t done, std::int64_t total) = 0;
};

namespace detail {
inline thread_local CallHooks* current_hooks = nullptr;
}

/// Installs hooks for the calls that this thread makes during its life.
class ScopedHooks {
 public:
  explicit ScopedHooks(CallHooks& hooks) noexcept : previous_(detail::current_hooks) {
    detail::current_hooks = &hooks;
  }
  ~ScopedHooks() { detail::current_hooks = previous_; }
  ScopedHooks(const ScopedHooks&) = delete;
  ScopedHooks& operator=(const ScopedHooks&) = delete;

 private:
  CallHooks* previous_;
};

/// Ends the call by an exception when its user asked for that. Cheap enough for every few
/// microseconds of work; never call it where an exception must not pass.
inline void poll() {
  if (detail::current_hooks != nullptr) detail::current_hooks->poll();
}

/// Tells the user how far the call is, and polls.
inline void report_progress(std::int64_t done, std::int64_t total) {
  if (detail::current_hooks == nullptr) return;
  detail::current_hooks->progress(done, total);
  detail::current_hooks->poll();
}

}  // namespace warpgraph
