// Calls from Python into the core: without the GIL, with hooks for Ctrl-C and progress=.
#pragma once

#include "bindings/shutdown.hpp"
#include "core/interrupt.hpp"
#include "core/memory/spare_blocks.hpp"
#include "core/threads/parallel.hpp"
#include "core/threads/spinning_pool.hpp"
#include "runtime/waiting.hpp"

#include <pybind11/gil.h>
#include <pybind11/typing.h>

#include <chrono>

namespace warpgraph {

namespace py = pybind11;

/// Argument progress=: None, or a callable (done, total).
class Progress : public py::object {
 public:
  using py::object::object;
  static bool check_(py::handle object) {
    return object.is_none() || PyCallable_Check(object.ptr()) != 0;
  }
};

/// Sets a call aside while Python runs in it: signal handlers, progress callables and finalizers
/// may make further calls on this thread, which have arrays, threads and limits of their own.
class CallAside {
 private:
  const ScopedHooks no_hooks_{nullptr};
  const CallThreads configured_{0};
  const SpinningPool::Aside pool_;
  const WithoutListBudget budget_;
  const runtime::OutsideOfRuns outside_;
};

/// Checks for pending signals, and calls progress(done, total).
class PythonHooks final : public CallHooks {
 public:
  explicit PythonHooks(py::object progress) : progress_(std::move(progress)) {}

  void poll() override {
    if (interpreter_ends()) throw InterpreterEnds{};
    const Clock::time_point now = Clock::now();
    if (now - last_poll_ < poll_interval) return;
    last_poll_ = now;
    const CallAside aside;
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }

  /// Reports progress. Steps without a total, as the search for a bound of distances, are not
  /// reported: they would close a progress bar that has just been opened.
  void progress(std::int64_t done, std::int64_t total) override {
    if (progress_.is_none() || total == 0) return;
    if (interpreter_ends()) throw InterpreterEnds{};
    const Clock::time_point now = Clock::now();
    if (done < total && now - last_report_ < report_interval) return;
    last_report_ = now;
    const CallAside aside;
    const py::gil_scoped_acquire gil;
    progress_(done, total);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds poll_interval{20};     // Ctrl-C is promised in 200
  static constexpr std::chrono::milliseconds report_interval{100};  // ten per second look smooth
  py::object progress_;
  Clock::time_point last_poll_ = Clock::now();
  Clock::time_point last_report_{};
};

/// A call: without the GIL, with hooks and a fixed number of threads. Inlined into every binding,
/// it took 3 seconds more to compile.
class ReleasedCall {
 public:
  [[gnu::noinline]] explicit ReleasedCall(py::object progress) : hooks_(std::move(progress)) {}
  [[gnu::noinline]] ~ReleasedCall() {}
  ReleasedCall(const ReleasedCall&) = delete;
  ReleasedCall& operator=(const ReleasedCall&) = delete;

 private:
  const CallInProgress call_;
  PythonHooks hooks_;
  const ScopedHooks installed_{hooks_};
  const CallThreads fixed_{configured_threads()};
  const GilReleased released_;
};

/// Runs `work` without the GIL and with a fixed number of threads.
template <class Work>
auto run_released(py::object progress, Work&& work) {
  const ReleasedCall call(std::move(progress));
  return work();
}

template <class Work>
auto run_released(Work&& work) {
  return run_released(py::none(), std::forward<Work>(work));
}

/// Waits without the GIL. A thread outside of calls, as one outside of a run of the runtime, has no
/// hooks: it gets some, so that Ctrl-C ends the wait.
template <class Wait>
auto wait_released(Wait&& wait) {
  if (!has_hooks()) return run_released(std::forward<Wait>(wait));
  const GilReleased released;
  return wait();
}

}  // namespace warpgraph

template <>
struct pybind11::detail::handle_type_name<warpgraph::Progress> {
  static constexpr auto name = const_name("collections.abc.Callable[[int, int], object] | None");
};
