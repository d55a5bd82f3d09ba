#include "core/cuda/check.hpp"
#include "core/cuda/memory/peer_access.hpp"
#include "runtime/devices/topology.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <string>

namespace warpgraph::runtime {

bool can_access(Device by, Device other) { return cuda::can_access_peer(by, other); }

Path path_between(Device from, Device to) {
  if (!can_access(from, to)) return Path::host;
  // NVLink has atomic operations between devices; PCIe has not.
  int atomics = 0;
  CUDA_TRY(cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, from.index,
                                     to.index));
  return atomics != 0 ? Path::nvlink : Path::peer;
}

int numa_node_of(Device device) {
  std::array<char, 32> id{};
  CUDA_TRY(cudaDeviceGetPCIBusId(id.data(), static_cast<int>(id.size()), device.index));
  std::string name(id.data());
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::ifstream file("/sys/bus/pci/devices/" + name + "/numa_node");
  int node = -1;
  return file >> node ? node : -1;
}

void connect_devices(const std::vector<Device>& devices) {
  for (const Device by : devices) {
    for (const Device other : devices) {
      if (!by.is_cuda() || !other.is_cuda() || by == other || !can_access(by, other)) continue;
      cuda::enable_peer_access(by, other);
    }
  }
}

}  // namespace warpgraph::runtime
