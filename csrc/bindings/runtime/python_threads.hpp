// Functions of Python on the threads of endpoints.
#pragma once

#include "bindings/shutdown.hpp"
#include "runtime/waiting.hpp"

#include <pybind11/pybind11.h>

#include <set>

namespace warpgraph {

namespace py = pybind11;

/// The exception Stopped of Python; the module owns it.
inline PyObject* stopped = nullptr;

/// The Python threads of a run's endpoints. They are used with the GIL held.
class PythonThreads {
 public:
  template <class Call>
  void call_on_this(Call&& call) {
    const unsigned long id = PyThread_get_thread_ident();
    ids_.insert(id);
    try {
      runtime::check_thread();  // stop() may have come before the insertion
      call();
    } catch (...) {
      ids_.erase(id);
      throw;
    }
    ids_.erase(id);
  }
  /// Ends functions that do not call the runtime, at their next instruction of Python. It is called
  /// again until they have ended: Python drops exceptions that are raised in callbacks of its
  /// garbage collector and in finalizers, and functions may catch them. A function that ends
  /// already, in a `finally` block, is left alone.
  void stop() const {
    if (ids_.empty()) return;
    const py::dict handled = py::module_::import("sys").attr("_current_exceptions")();
    for (const unsigned long id : ids_) {
      const py::int_ key(id);
      if (handled.contains(key) && is_stopped(handled[key])) continue;
      PyThreadState_SetAsyncExc(id, stopped);
    }
  }

 private:
  /// Returns whether an entry of sys._current_exceptions() is Stopped, or an error in the handling
  /// of it.
  static bool is_stopped(py::object error) {
    constexpr int most = 100;  // users can make cycles of contexts
    if (py::isinstance<py::tuple>(error)) error = error[py::int_(1)];  // before Python 3.12
    for (int i = 0; i < most && !error.is_none(); ++i) {
      if (py::isinstance(error, stopped)) return true;
      error = error.attr("__context__");
    }
    return false;
  }

  std::set<unsigned long> ids_;
};

/// Calls work() with the GIL, unless the interpreter ends.
template <class Work>
void with_gil(Work&& work) {
  if (interpreter_ends()) throw InterpreterEnds{};
  const py::gil_scoped_acquire gil;
  work();
}

inline void register_stopped(py::module_& module) {
  stopped = py::exception<runtime::Stopped>(module, "Stopped", PyExc_BaseException).ptr();
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const runtime::Stopped&) {
      PyErr_SetString(stopped, "another endpoint of the run has failed");
    } catch (const InterpreterEnds&) {
      PyErr_SetNone(PyExc_SystemExit);
    }
  });
}

}  // namespace warpgraph
