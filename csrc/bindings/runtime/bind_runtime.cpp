// The runtime's context. Python names endpoints by their numbers.
#include "bindings/call.hpp"
#include "bindings/device.hpp"
#include "bindings/hand_over.hpp"
#include "bindings/runtime/handles.hpp"
#include "bindings/runtime/policy.hpp"
#include "bindings/runtime/python_threads.hpp"

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

Owned<RuntimeLink> add_link(std::shared_ptr<Context> context, int source, int destination,
                            std::size_t packet_size, std::optional<int> n_buffers) {
  runtime::Link& link = context->link({source}, {destination}, packet_size, n_buffers);
  return hand_over(std::make_unique<RuntimeLink>(RuntimeLink{std::move(context), &link}));
}

void run(Context& context, const py::object& on_endpoint, const py::object& on_host) {
  PythonThreads threads;
  run_released([&] {
    try {
      context.run(
          [&](Endpoint endpoint) {
            with_gil([&] { threads.call_on_this([&] { on_endpoint(endpoint.id); }); });
          },
          [&] { with_gil([&] { on_host(); }); },
          [&] {
            try {
              if (!interpreter_ends()) with_gil([&] { threads.stop(); });
            } catch (...) {  // the error of the endpoint is the one to report
            }
          });
    } catch (...) {
      if (interpreter_ends()) throw InterpreterEnds{};  // functions in Python have seen Stopped
      throw;
    }
  });
}

}  // namespace

void init_runtime(py::module_& module) {
  register_stopped(module);
  py::class_<Context, std::shared_ptr<Context>>(module, "RuntimeContext")
      .def(
          "name", [](const Context& of, int id) { return of.name({id}); }, py::arg("endpoint"))
      .def(
          "device", [](const Context& of, int id) { return of.device({id}); }, py::arg("endpoint"))
      .def("router", &add_router, py::arg("n_inputs"), py::arg("n_outputs"), py::arg("policy"),
           py::arg("given"), py::arg("to_all"), py::arg("name"))
      .def("link", &add_link, py::arg("source"), py::arg("destination"), py::arg("packet_size"),
           py::arg("n_buffers"))
      .def("run", &run, py::arg("on_endpoint"), py::arg("on_host"));
  module.def(
      "runtime_context",
      [](std::vector<Device> devices) {
        return hand_over(std::make_shared<Context>(std::move(devices)));
      },
      py::arg("devices"));
}

}  // namespace warpgraph
