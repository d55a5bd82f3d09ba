// The parts of Graph that need CUDA devices, in a build for the host alone.
#include "warpgraph/graph.hpp"

#if !defined(WARPGRAPH_HAS_CUDA)

namespace warpgraph {

CsrPattern Graph::pattern_on(Device device) {
  require_device(device);
  return pattern_;
}

void Graph::check_on(Device, bool, bool) {}

template <class W>
void Graph::check_lengths_on(Device) {}

bool Graph::check_on_parts(const std::vector<Device>&, bool) { return false; }

template <class W>
CsrView<W> Graph::view_on(Device device) {
  require_device(device);
  return view<W>();
}

DevicePartition* Graph::parts_on(const std::vector<Device>& devices) {
  for (const Device device : devices) {
    if (device.is_cuda()) require_device(device);
  }
  return nullptr;
}

DevicePartition* Graph::parts_like(const DevicePartition&) { return nullptr; }

template <class W>
bool Graph::convert_on(Device) {
  return false;
}

template <class W>
bool Graph::has_weights_on(Device) {
  return false;
}

std::size_t Graph::device_bytes() const { return 0; }

Device Graph::device_of_copy() const { return {}; }

#define WARPGRAPH_INSTANTIATE(W)                  \
  template CsrView<W> Graph::view_on<W>(Device);  \
  template bool Graph::has_weights_on<W>(Device); \
  template bool Graph::convert_on<W>(Device);     \
  template void Graph::check_lengths_on<W>(Device);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph

#endif
