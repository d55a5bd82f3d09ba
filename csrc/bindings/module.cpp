// The Python module _core: the init_* functions of bindings.inc, and the translation of exceptions.
#include "bindings/core/only_planned.hpp"
#include "core/error.hpp"

#include <pybind11/pybind11.h>

#include <new>

namespace py = pybind11;

namespace warpgraph {

using Init = void(py::module_&);
#define WARPGRAPH_BINDING(name) Init init_##name;
#include "bindings/bindings.inc"
#undef WARPGRAPH_BINDING
#if defined(WARPGRAPH_FAULTS)
Init init_faults;  // of tests/faults
#endif

namespace {

/// Sets the name of an exception in tracebacks and pickles to the one that users know: wg.<name>.
void set_public_name(const py::object& exception, const char* documentation) {
  exception.attr("__module__") = "warpgraph";
  exception.attr("__doc__") = documentation;
}

/// Raises an error with its sentence, and the `parts` of this: texts, and the numbers of vertices
/// in tuples, in whose place Python puts names. One number is a vertex, two are the ends of an arc.
void raise_with_parts(const py::object& type, const NamedPlaces& error, const char* sentence,
                      vertex_t on_cycle = no_vertex) {
  py::list parts;
  const char* text = sentence;
  for (const auto& [begin, end, vertices] : error.places()) {
    parts.append(py::str(text, static_cast<std::size_t>(sentence + begin - text)));
    py::tuple numbers = py::make_tuple(vertices.vertex);
    if (vertices.head != no_vertex) numbers = py::make_tuple(vertices.vertex, vertices.head);
    parts.append(numbers);
    text = sentence + end;
  }
  parts.append(py::str(text));
  const py::object instance = type(sentence);
  instance.attr("parts") = parts;
  if (on_cycle != no_vertex) instance.attr("vertex") = on_cycle;
  PyErr_SetObject(type.ptr(), instance.ptr());
}

void register_exceptions(py::module_& module) {
  set_public_name(py::register_exception<DeviceError>(module, "DeviceError", PyExc_RuntimeError),
                  "A device was named that is not here, or one that failed.");
  static py::exception<NegativeCycle> negative_cycle(module, "NegativeCycleError",
                                                     PyExc_ValueError);
  set_public_name(negative_cycle,
                  "A cycle of negative weight makes shortest paths endless; `vertex` lies on it.");
  negative_cycle.attr("__annotations__") = py::dict(py::arg("vertex") = py::type::of(py::int_()));
  static py::exception<OnlyPlanned> only_planned(module, "OnlyPlanned", PyExc_BaseException);
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const OnlyPlanned&) {
      PyErr_SetNone(only_planned.ptr());
    } catch (const NegativeCycle& cycle) {
      raise_with_parts(negative_cycle, cycle, cycle.what(), cycle.vertex);
    } catch (const NamedPlaces& error) {
      const bool is_overflow = dynamic_cast<const std::overflow_error*>(&error) != nullptr;
      const py::handle type = is_overflow ? PyExc_OverflowError : PyExc_ValueError;
      raise_with_parts(py::reinterpret_borrow<py::object>(type), error,
                       dynamic_cast<const std::exception&>(error).what());
    } catch (const OutOfMemory& out_of_memory) {
      PyErr_SetString(PyExc_MemoryError, out_of_memory.what());
    } catch (const std::bad_alloc&) {
      // A literal: there may be no memory to build a sentence.
      PyErr_SetString(PyExc_MemoryError,
                      "host memory ran out during the call; free some, or pass a smaller problem");
    }
  });
}

}  // namespace
}  // namespace warpgraph

PYBIND11_MODULE(_core, module) {
  using namespace warpgraph;
  register_exceptions(module);
#define WARPGRAPH_BINDING(name) init_##name(module);
#include "bindings/bindings.inc"
#undef WARPGRAPH_BINDING
#if defined(WARPGRAPH_FAULTS)
  init_faults(module);
#endif
}
