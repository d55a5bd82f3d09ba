// Devices and threads, for wg.devices(), wg.show_config() and wg.set_num_threads().
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "core/threads/parallel.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/memory/pinned_memory.hpp"
#endif

namespace warpgraph {
namespace {

using namespace pybind11::literals;

py::dict describe(Device device) {
  const DeviceProperties found = properties(device);
  return py::dict("device"_a = device, "name"_a = found.name, "total_memory"_a = found.total_memory,
                  "free_memory"_a = free_memory(device),
                  "multiprocessors"_a = found.multiprocessors,
                  "compute_capability"_a = found.compute_capability, "l2_cache"_a = found.l2_cache);
}

bool has_memory(Device device, std::size_t bytes, std::size_t limit) {
  return MemoryBudget(device, limit_of(limit)).has(bytes);
}

Device device_holding_address(std::uintptr_t address) {
  return device_holding(reinterpret_cast<const void*>(address));  // NOLINT(*-no-int-to-ptr)
}

std::size_t idle_pinned_bytes() {
#if defined(WARPGRAPH_HAS_CUDA)
  return cuda::idle_pinned_bytes();
#else
  return 0;
#endif
}

void free_idle_pinned() {
#if defined(WARPGRAPH_HAS_CUDA)
  const py::gil_scoped_release released;
  cuda::free_idle_pinned();
#endif
}

}  // namespace

void init_device(py::module_& module) {
  module.attr("built_with_cuda") = built_with_cuda();
  module.def("cuda_device_count", &cuda_device_count);
  module.def("cuda_unavailable_reason", &cuda_unavailable_reason);
  module.def("cuda_runtime_version", &cuda_runtime_version);
  module.def("cuda_driver_version", &cuda_driver_version);
  module.def("device_holding", &device_holding_address, py::arg("address"));
  module.def("require_device", &require_device, py::arg("device"));
  module.def("device_properties", &describe, py::arg("device"));
  module.def("free_memory", &free_memory, py::arg("device"));
  module.def("has_memory", &has_memory, py::arg("device"), py::arg("bytes"), py::arg("limit"));
  module.def("idle_pinned_bytes", &idle_pinned_bytes);
  module.def("free_idle_pinned", &free_idle_pinned);
  module.def("num_threads", &configured_threads);
  module.def("set_num_threads", &set_num_threads, py::arg("n"));
}

}  // namespace warpgraph
