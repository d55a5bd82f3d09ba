// Devices and threads, for wg.devices(), wg.show_config() and wg.set_num_threads().
#include "bindings/arrays.hpp"
#include "core/device.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/memory/pinned_memory.hpp"
#endif

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

py::dict describe(const std::string& name) {
  const Device device = Device::parse(name);
  const DeviceProperties found = properties(device);
  py::dict result;
  result["device"] = device.name();
  result["name"] = found.name;
  result["total_memory"] = found.total_memory;
  result["free_memory"] = free_memory(device);
  result["multiprocessors"] = found.multiprocessors;
  result["compute_capability"] = found.compute_capability;
  result["l2_cache"] = found.l2_cache;
  return result;
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
  module.def("require_device",
             [](const std::string& name) { require_device(Device::parse(name)); });
  module.def("device_properties", &describe);
  module.def("free_memory",
             [](const std::string& name) { return free_memory(Device::parse(name)); });
  module.def(
      "require_memory",
      [](const std::string& what, std::size_t bytes, const std::string& device, std::size_t limit,
         const std::string& way_out) {
        MemoryBudget(Device::parse(device), limit).require(what, bytes, way_out);
      },
      py::arg("what"), py::arg("bytes"), py::arg("device"), py::arg("limit"), py::arg("way_out"));
  module.def("idle_pinned_bytes", &idle_pinned_bytes);
  module.def("free_idle_pinned", &free_idle_pinned);
  module.def("num_threads", &configured_threads);
  module.def("set_num_threads", &set_num_threads, py::arg("n"));
}

}  // namespace warpgraph
