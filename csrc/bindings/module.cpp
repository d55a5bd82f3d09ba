// The Python module _core: one init_* function per binding file, and the translation of exceptions.
#include "core/error.hpp"

#include <pybind11/pybind11.h>

#include <new>

namespace py = pybind11;

namespace warpgraph {

void init_device(py::module_&);
void init_device_arrays(py::module_&);
void init_generators(py::module_&);
void init_graph(py::module_&);
void init_apsp(py::module_&);
void init_bfs(py::module_&);
void init_connected_components(py::module_&);
void init_dense_mst(py::module_&);
void init_emst(py::module_&);
void init_hierarchy(py::module_&);
void init_kmeans(py::module_&);
void init_many_to_many(py::module_&);
void init_mst(py::module_&);
void init_shutdown(py::module_&);
void init_single_linkage(py::module_&);
void init_sssp(py::module_&);
void init_transform(py::module_&);
#if defined(WARPGRAPH_FAULTS)
void init_faults(py::module_&);  // of tests/faults
#endif

namespace {

/// Tracebacks and pickles name the exceptions as users do: wg.<name>.
void set_public_name(const py::object& exception, const char* documentation) {
  exception.attr("__module__") = "warpgraph";
  exception.attr("__doc__") = documentation;
}

void register_exceptions(py::module_& module) {
  set_public_name(py::register_exception<DeviceError>(module, "DeviceError", PyExc_RuntimeError),
                  "A device was named that is not here, or one that failed.");
  static py::exception<NegativeCycle> negative_cycle(module, "NegativeCycleError",
                                                     PyExc_ValueError);
  set_public_name(negative_cycle,
                  "A cycle of negative weight makes shortest paths endless; `vertex` lies on it.");
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const NegativeCycle& cycle) {
      const py::object instance = py::object(negative_cycle)(cycle.what());
      instance.attr("vertex") = cycle.vertex;
      PyErr_SetObject(negative_cycle.ptr(), instance.ptr());
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
  init_device(module);
  init_device_arrays(module);
  init_generators(module);
  init_graph(module);
  init_apsp(module);
  init_bfs(module);
  init_connected_components(module);
  init_dense_mst(module);
  init_emst(module);
  init_hierarchy(module);
  init_kmeans(module);
  init_many_to_many(module);
  init_mst(module);
  init_shutdown(module);
  init_single_linkage(module);
  init_sssp(module);
  init_transform(module);
#if defined(WARPGRAPH_FAULTS)
  init_faults(module);
#endif
}
