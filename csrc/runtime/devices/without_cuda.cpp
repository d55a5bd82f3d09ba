// Replacements of the functions of devices in a build without CUDA. Contexts refuse devices before
// they are called.
#if !defined(WARPGRAPH_HAS_CUDA)

#include "core/error.hpp"
#include "runtime/devices/device_copier.hpp"
#include "runtime/devices/topology.hpp"

namespace warpgraph::runtime {
namespace {

[[noreturn]] void refuse() { throw DeviceError(cuda_unavailable_reason()); }

}  // namespace

std::shared_ptr<StreamPoint> point_on(StreamRef) { refuse(); }
std::unique_ptr<DeviceCopier> device_copier(const LinkBuffers&) { refuse(); }
void copy_on(StreamRef, std::byte*, const std::byte*, std::size_t) { refuse(); }
void enter_device(Device) {}
Path path_between(Device, Device) { refuse(); }
bool can_access(Device, Device) { refuse(); }
int numa_node_of(Device) { refuse(); }
void connect_devices(const std::vector<Device>&) {}

}  // namespace warpgraph::runtime

#endif
