// Calls of daemon threads when the interpreter ends.
//
// Daemon threads run on while the interpreter finalizes. Up to CPython 3.13, a thread that then
// asks for the GIL is ended by pthread_exit, which unwinds the stack through frames that must not
// be unwound (destructors, parallel regions): the process aborts. So an atexit callback interrupts
// the calls in progress and waits until they have left the library. They, and later calls of other
// threads than the one that ends the interpreter, raise SystemExit: that ends their threads, for
// which other callbacks may wait, and releases locks. A call that does not leave in time sleeps
// until the process is gone, as CPython 3.14 has it.
#pragma once

#include <Python.h>

namespace warpgraph {

/// Exception that poll points throw to unwind a call of another thread than the one that ends the
/// interpreter; SystemExit in Python.
struct InterpreterEnds {};

/// Returns whether the interpreter ends and this is another thread than the one that ends it.
[[nodiscard]] bool interpreter_ends() noexcept;

/// Entry of a call from Python, for which the callback waits. It is made and destroyed with the GIL
/// held.
class CallInProgress {
 public:
  /// Throws InterpreterEnds if interpreter_ends().
  CallInProgress();
  ~CallInProgress();
  CallInProgress(const CallInProgress&) = delete;
  CallInProgress& operator=(const CallInProgress&) = delete;
};

/// Scope without the GIL.
class GilReleased {
 public:
  GilReleased() : state_(PyEval_SaveThread()) {}
  /// Acquires the GIL; sleeps instead if the callback has waited in vain, since that is no longer
  /// safe.
  ~GilReleased();
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace warpgraph
