#include "bindings/shutdown.hpp"

#include "core/threads/thread_locals.hpp"

#include <atomic>
#include <chrono>
#include <pthread.h>
#include <thread>
#include <unistd.h>

namespace warpgraph {

namespace py = pybind11;

namespace {

/// Limit of the wait for calls: ten times the time that poll points promise for Ctrl-C.
constexpr std::chrono::seconds longest_wait{2};

std::atomic<int> calls{0};
thread_local int calls_of_thread = 0;
std::atomic<bool> is_ending{false};
std::atomic<bool> waited_in_vain{false};
std::atomic<std::thread::id> ending_thread{};

void count(int step) noexcept {
  calls_of_thread += step;
  calls.fetch_add(step);
}

/// Interrupts calls and waits for their end: the atexit callback.
void end_calls_of_other_threads() {
  ending_thread.store(std::this_thread::get_id());
  is_ending.store(true);
  const py::gil_scoped_release released;
  const auto deadline = std::chrono::steady_clock::now() + longest_wait;
  while (calls.load() > calls_of_thread) {
    if (std::chrono::steady_clock::now() > deadline) {
      waited_in_vain.store(true);
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Fork handler: a forked child has the calls of the thread that forked, and no others.
[[maybe_unused]] const int registered =
    pthread_atfork(nullptr, nullptr, [] { calls.store(calls_of_thread); });

}  // namespace

bool interpreter_ends() noexcept {
  return is_ending.load(std::memory_order_relaxed) &&
         ending_thread.load() != std::this_thread::get_id();
}

CallInProgress::CallInProgress() {
  prepare_to_throw();
  if (interpreter_ends()) throw InterpreterEnds{};
  count(1);
}

CallInProgress::~CallInProgress() { count(-1); }

GilReleased::~GilReleased() {
  while (waited_in_vain.load() && interpreter_ends()) pause();
  PyEval_RestoreThread(state_);
}

void init_shutdown(py::module_& /*module*/) {
  py::module_::import("atexit").attr("register")(py::cpp_function(&end_calls_of_other_threads));
}

}  // namespace warpgraph
