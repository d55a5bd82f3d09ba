// The parts of GraphHandle that need CUDA devices, in a build for the host alone.
#include "bindings/graph_handle.hpp"

#if !defined(WARPGRAPH_HAS_CUDA)

namespace warpgraph {

CsrPattern GraphHandle::pattern_on(Device device) {
  require_device(device);
  return pattern_;
}

void GraphHandle::check_on(Device, bool, bool) {}

template <class W>
void GraphHandle::check_lengths_on(Device) {}

bool GraphHandle::check_on_parts(const std::vector<Device>&, bool) { return false; }

template <class W>
CsrView<W> GraphHandle::view_on(Device device) {
  require_device(device);
  return view<W>();
}

DevicePartition* GraphHandle::parts_on(const std::vector<Device>& devices) {
  for (const Device device : devices) {
    if (device.is_cuda()) require_device(device);
  }
  return nullptr;
}

DevicePartition* GraphHandle::parts_like(const DevicePartition&) { return nullptr; }

template <class W>
bool GraphHandle::convert_on(Device) {
  return false;
}

template <class W>
bool GraphHandle::has_weights_on(Device) {
  return false;
}

std::size_t GraphHandle::device_bytes() const { return 0; }

Device GraphHandle::device_of_copy() const { return {}; }

#define WARPGRAPH_INSTANTIATE(W)                        \
  template CsrView<W> GraphHandle::view_on<W>(Device);  \
  template bool GraphHandle::has_weights_on<W>(Device); \
  template bool GraphHandle::convert_on<W>(Device);     \
  template void GraphHandle::check_lengths_on<W>(Device);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph

#endif
