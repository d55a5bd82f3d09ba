// What device_arrays.hpp declares, and an array of our own for those who have no library for that.
#include "bindings/call.hpp"
#include "bindings/device_arrays.hpp"
#include "bindings/graph_handle.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/buffer.hpp"
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph {

void wait_for_owner(const py::dict& interface, [[maybe_unused]] Device device) {
  if (!interface.contains("stream") || interface["stream"].is_none()) return;
#if defined(WARPGRAPH_HAS_CUDA)
  const auto handle = interface["stream"].cast<std::uintptr_t>();
  const cuda::DeviceGuard guard(device);
  const py::gil_scoped_release released;
  // 1 and 2 are the default streams, here and in the interface alike.
  CUDA_TRY(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(handle)));
#endif
}

namespace {

#if defined(WARPGRAPH_HAS_CUDA)

/// Uninitialised memory on a device, for tests and benchmarks.
class DeviceArray {
 public:
  DeviceArray(std::size_t size, py::dtype dtype, const std::string& device)
      : size_(size),
        dtype_(std::move(dtype)),
        stream_(Device::parse(device)),
        bytes_(size * static_cast<std::size_t>(dtype_.itemsize()), *stream_) {
    (*stream_).synchronize();
  }

  [[nodiscard]] py::dict interface() const {
    py::dict result;
    result["shape"] = py::make_tuple(size_);
    result["typestr"] = dtype_.attr("str");
    result["data"] = py::make_tuple(reinterpret_cast<std::uintptr_t>(bytes_.data()), false);
    result["version"] = 3;
    return result;
  }

  [[nodiscard]] py::array to_numpy() const {
    py::array copy(dtype_, size_);
    cuda::copy(static_cast<std::byte*>(copy.mutable_data()), bytes_.data(), bytes_.size(),
               *stream_);
    (*stream_).synchronize();
    return copy;
  }

 private:
  std::size_t size_;
  py::dtype dtype_;
  cuda::BorrowedStream stream_;
  cuda::DeviceBuffer<std::byte> bytes_;
};

#else

/// There are no devices, hence no instances either.
class DeviceArray {
 public:
  DeviceArray(std::size_t, const py::dtype&, const std::string&) {
    throw DeviceError(cuda_unavailable_reason());
  }
  [[nodiscard]] py::dict interface() const { return {}; }
  [[nodiscard]] py::array to_numpy() const { return {}; }
};

#endif

}  // namespace

void init_device_arrays(py::module_& module) {
  module.def(
      "device_holding",
      [](std::uintptr_t address) {
        return device_holding(reinterpret_cast<const void*>(address)).name();
      },
      py::arg("address"));
  py::class_<DeviceArray>(module, "DeviceArray")
      .def(py::init<std::size_t, py::dtype, const std::string&>(), py::arg("size"),
           py::arg("dtype"), py::arg("device"))
      .def_property_readonly("__cuda_array_interface__", &DeviceArray::interface)
      .def("to_numpy", &DeviceArray::to_numpy);
}

}  // namespace warpgraph
