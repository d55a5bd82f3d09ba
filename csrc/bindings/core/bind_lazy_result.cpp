#include "bindings/call.hpp"
#include "bindings/core/lazy_result.hpp"
#include "bindings/device.hpp"

namespace warpgraph {
namespace {

/// Returns an array of the result's memory on the host. It owns the result.
py::array to_numpy(const py::object& self) {
  const auto& result = self.cast<const LazyResult&>();
  const std::byte* const data = run_released([&] { return result.array->on_host(); });
  return {result.dtype, result.shape, data, self};
}

}  // namespace

void init_lazy_result(py::module_& module) {
  py::class_<LazyResult>(module, "LazyResult")
      .def_property_readonly("n_items",
                             [](const LazyResult& result) { return result.shape.front(); })
      .def_property_readonly("nbytes",
                             [](const LazyResult& result) { return result.array->bytes(); })
      .def_property_readonly("device",
                             [](const LazyResult& result) { return result.array->device(); })
      .def_property_readonly("is_on_device",
                             [](const LazyResult& result) { return result.array->is_on_device(); })
      .def("to_numpy", &to_numpy);
  module.def("lazy_bytes", &lazy_bytes, py::arg("device"));
  module.def("set_smallest_lazy", &set_smallest_lazy, py::arg("n_bytes"));
  module.def("finish_lazy_results", [] { run_released([] { finish_lazy_arrays(); }); });
}

}  // namespace warpgraph
