#include "core/cuda/memory/peer_buffer.hpp"
#include "runtime/devices/topology.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace warpgraph::runtime {
namespace {

void enable_access(Device by, Device other) {
  cuda::enable_peer_access(by, other);
  // That was for memory of cudaMalloc; the pools have rights of their own.
  cudaMemPool_t pool = nullptr;
  CUDA_TRY(cudaDeviceGetDefaultMemPool(&pool, other.index));
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = by.index;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  CUDA_TRY(cudaMemPoolSetAccess(pool, &access, 1));
}

}  // namespace

bool can_access(Device by, Device other) {
  int can = 0;
  CUDA_TRY(cudaDeviceCanAccessPeer(&can, by.index, other.index));
  return can != 0;
}

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
  static std::mutex mutex;
  static std::set<std::pair<int, int>>& connected = *new std::set<std::pair<int, int>>;
  const std::lock_guard lock(mutex);
  for (const Device by : devices) {
    for (const Device other : devices) {
      if (!by.is_cuda() || !other.is_cuda() || by == other || !can_access(by, other)) continue;
      if (connected.contains({by.index, other.index})) continue;
      enable_access(by, other);
      connected.insert({by.index, other.index});
    }
  }
}

}  // namespace warpgraph::runtime
