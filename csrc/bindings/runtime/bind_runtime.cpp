// The runtime's context. Endpoints are their numbers.
#include "bindings/call.hpp"
#include "bindings/device.hpp"
#include "bindings/hand_over.hpp"
#include "bindings/runtime/policy.hpp"
#include "runtime/context.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

using runtime::Context, runtime::Endpoint;

int add_router(Context& context, int n_inputs, int n_outputs, const std::string& policy,
               const py::object& given, bool to_all, const std::string& name) {
  return context.router(n_inputs, n_outputs, runtime::policy_of(policy, given, to_all), name)
      .endpoint()
      .id;
}

void run(Context& context, const py::object& on_endpoint, const py::object& on_host) {
  run_released([&] {
    const auto call = [](const py::object& body, auto... arguments) {
      if (interpreter_ends()) throw InterpreterEnds{};
      const py::gil_scoped_acquire gil;
      body(arguments...);
    };
    try {
      context.run([&](Endpoint endpoint) { call(on_endpoint, endpoint.id); },
                  [&] { call(on_host); });
    } catch (...) {
      if (interpreter_ends()) throw InterpreterEnds{};  // Python's functions have seen Stopped
      throw;
    }
  });
}

}  // namespace

void init_runtime(py::module_& module) {
  static py::exception<runtime::Stopped> stopped(module, "Stopped", PyExc_BaseException);
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const runtime::Stopped&) {
      PyErr_SetString(stopped.ptr(), "another endpoint of the run has failed");
    } catch (const InterpreterEnds&) {
      PyErr_SetString(stopped.ptr(), "the interpreter ends");
    }
  });
  py::class_<Context>(module, "RuntimeContext")
      .def(
          "name", [](const Context& of, int id) { return of.name({id}); }, py::arg("endpoint"))
      .def("router", &add_router, py::arg("n_inputs"), py::arg("n_outputs"), py::arg("policy"),
           py::arg("given"), py::arg("to_all"), py::arg("name"))
      .def(
          "link",
          [](Context& context, int source, int destination, std::size_t packet, int n_buffers) {
            return &context.link({source}, {destination}, packet, n_buffers);
          },
          py::arg("source"), py::arg("destination"), py::arg("packet_size"), py::arg("n_buffers"),
          py::return_value_policy::reference_internal)
      .def("run", &run, py::arg("on_endpoint"), py::arg("on_host"));
  module.def("runtime_context", &make<Context, std::vector<Device>>, py::arg("devices"));
}

}  // namespace warpgraph
