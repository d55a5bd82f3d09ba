#include "bindings/call.hpp"
#include "bindings/core/lazy_result.hpp"
#include "bindings/device.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

/// Returns an array of the result's memory on the host. It owns the result.
py::array to_numpy(const py::object& self) {
  const auto& result = self.cast<const LazyResult&>();
  const std::byte* const data = run_released([&] { return result.array->on_host(); });
  return {result.dtype, result.shape, data, self};
}

/// Returns the last item, and copies no other one.
py::object last_item(const LazyResult& result) {
  const auto size = static_cast<std::size_t>(result.dtype.itemsize());
  const std::size_t before = result.array->bytes() - size;
  std::vector<std::byte> item(size);
  run_released([&] {
    const bool is_on_device = result.array->use_on_device([&]([[maybe_unused]] const void* items) {
#if defined(WARPGRAPH_HAS_CUDA)
      const cuda::BorrowedStream stream(result.array->device());
      cuda::copy(item.data(), static_cast<const std::byte*>(items) + before, size, *stream);
      (*stream).synchronize();
#endif
    });
    if (!is_on_device) std::copy_n(result.array->on_host() + before, size, item.data());
  });
  return py::array(result.dtype, 1, item.data()).attr("item")();
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
      .def("last_item", &last_item)
      .def("to_numpy", &to_numpy);
  module.def("lazy_bytes", &lazy_bytes, py::arg("device"));
  module.def("set_smallest_lazy", &set_smallest_lazy, py::arg("n_bytes"));
  module.def("finish_lazy_results", [] { run_released([] { finish_lazy_arrays(); }); });
}

}  // namespace warpgraph
