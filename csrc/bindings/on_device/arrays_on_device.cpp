#include "bindings/on_device/arrays_on_device.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/copies/copy_out.hpp"
#endif

namespace warpgraph {
namespace {

/// Says in Python's log that an array comes to the host. A thread in a call has no global lock.
void log_copy(const char* what, std::size_t bytes, Device device) {
  const CallAside aside;
  const py::gil_scoped_acquire gil;
  py::module_::import("logging")
      .attr("getLogger")("warpgraph")
      .attr("info")("%s of the graph, %d bytes, are copied from %s to the host", what, bytes,
                    device.name());
}

}  // namespace

ArrayOnDevice::ArrayOnDevice(const DeviceArray& array)
    : memory_(array.memory()),
      data_(array.data()),
      bytes_(array.bytes()),
      device_(array.device()) {}

ArrayOnDevice::OnHost ArrayOnDevice::copy_to_host(const char* what) const {
  MemoryBudget().require(concat("copying the ", what, " of the graph to the host"), bytes_,
                         "use a device that has the graph");
  OnHost made{std::make_shared<HostArray<std::byte>>(static_cast<std::int64_t>(bytes_))};
#if defined(WARPGRAPH_HAS_CUDA)
  if (bytes_ != 0) {
    log_copy(what, bytes_, device_);
    cuda::copy_out(made.bytes->get(), static_cast<const std::byte*>(data_), bytes_,
                   *cuda::BorrowedStream(device_));
  }
#else
  static_cast<void>(log_copy);
#endif
  return made;
}

const void* ArrayOnDevice::on_host(const char* what) {
  if (const OnHost* const known = on_host_.if_made()) return known->bytes->get();
  const auto copy = [&] {
    return on_host_.with([&] { return std::make_unique<OnHost>(copy_to_host(what)); },
                         [](const OnHost& made) -> const void* { return made.bytes->get(); });
  };
  return has_hooks() ? copy() : run_released(copy);
}

py::array ArrayOnDevice::to_numpy(const char* what, const py::dtype& dtype) {
  static_cast<void>(on_host(what));
  using Owner = std::shared_ptr<HostArray<std::byte>>;
  auto owner = std::make_unique<Owner>(on_host_.if_made()->bytes);
  const std::byte* const bytes = (*owner)->get();
  const py::capsule base(owner.get(), [](void* it) { delete static_cast<Owner*>(it); });
  owner.release();  // the capsule frees it from here on
  const auto n = static_cast<py::ssize_t>(bytes_) / dtype.itemsize();
  return {dtype, {n}, bytes, base};
}

StructureOnDevice::StructureOnDevice(const CsrPattern& host, const DeviceArray& indptr,
                                     const DeviceArray& indices)
    : offsets(indptr), heads(indices) {
  const bool is_wide = host.offsets.is_wide();
  EXPECTS(indptr.device() == indices.device(), "indptr lies on ", indptr.device().name(),
          " and indices on ", indices.device().name(), "; the arrays of a graph lie on one device");
  const auto n_offsets = static_cast<std::size_t>(host.n_vertices) + 1;
  const bool fits = indptr.bytes() == n_offsets * (is_wide ? 8 : 4) &&
                    indices.dtype().equal(py::dtype::of<vertex_t>());
  if (!fits) throw py::type_error("indptr must be that on the host, and indices int32");
  pattern = host;
  pattern.offsets = is_wide ? Offsets(offsets.items<std::int64_t>().data())
                            : Offsets(offsets.items<std::int32_t>().data());
  pattern.heads = heads.items<vertex_t>().data();
}

}  // namespace warpgraph
