// Arrays on a CUDA device for graphs: views, copies and narrowed vertex numbers.
#include "bindings/device.hpp"
#include "bindings/on_device/arrays_on_device.hpp"
#include "bindings/on_device/device_arrays.hpp"
#include "graph/csr.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "graph/checks/device_checks.hpp"
#endif

namespace warpgraph {
namespace {

using NewArray = Owned<DeviceArray>;

/// Returns a view of an array with __cuda_array_interface__, after the work that its owner has
/// queued on it.
NewArray view_of(const py::object& array, Device device) {
  const py::dict interface = array.attr("__cuda_array_interface__");
  synchronize_owner_stream(interface, device);
  const auto place = py::tuple(interface["data"]);
  auto* const data = reinterpret_cast<void*>(place[0].cast<std::uintptr_t>());  // NOLINT
  const std::shared_ptr<void> owner(new py::object(array), [](py::object* kept) {
    const py::gil_scoped_acquire gil;
    delete kept;
  });
  return hand_over(std::make_unique<DeviceArray>(
      owner, data, py::tuple(interface["shape"]).cast<DeviceArray::Extents>(), dtype_of(array),
      device, DeviceArray::Extents{}, place[1].cast<bool>()));
}

#if defined(WARPGRAPH_HAS_CUDA)
NewArray copy_of(const DeviceArray& array) {
  const auto* const from = static_cast<const std::byte*>(array.data());
  return new_array_on<std::byte>(array.device(), array.bytes(), array.shape(), array.dtype(),
                                 [&](std::byte* to, const cuda::Stream& stream) {
                                   cuda::copy(to, from, array.bytes(), stream);
                                 });
}

NewArray narrow(const DeviceArray& indices, vertex_t n_vertices) {
  using Wide = std::span<const std::int64_t>;
  const Wide heads(static_cast<const std::int64_t*>(indices.data()), indices.bytes() / 8);
  bool is_passed = true;
  const auto fill = [&](vertex_t* to, const cuda::Stream& stream) {
    is_passed = narrow_on_device(heads, n_vertices, to, stream);
  };
  NewArray made = new_array_on<vertex_t>(indices.device(), heads.size(), indices.shape(),
                                         py::dtype::of<vertex_t>(), fill);
  if (is_passed) return made;
  const py::array on_host = indices.to_numpy();
  narrow_heads(readable<std::int64_t>(on_host), n_vertices);  // throws
  return made;
}
#else
NewArray copy_of(const DeviceArray&) { throw DeviceError(cuda_unavailable_reason()); }
NewArray narrow(const DeviceArray&, vertex_t) { throw DeviceError(cuda_unavailable_reason()); }
#endif

}  // namespace

void init_arrays_on_device(py::module_& module) {
  module.def("view_on_device", &view_of, py::arg("array"), py::arg("device"));
  module.def("copy_on_device", &copy_of, py::arg("array"));
  module.def("narrow_on_device", &narrow, py::arg("indices"), py::arg("n_vertices"));
}

}  // namespace warpgraph
