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

/// The Python threads of a run's endpoints. Used with the GIL held.
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
  /// Ends functions that do not call the runtime, at their next instruction of Python.
  void stop() const {
    for (const unsigned long id : ids_) PyThreadState_SetAsyncExc(id, stopped);
  }

 private:
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
      PyErr_SetString(stopped, "the interpreter ends");
    }
  });
}

}  // namespace warpgraph
