#include "core/cuda/memory/peer_access.hpp"

#include "core/cuda/device_guard.hpp"
#include "core/cuda/memory/memory_pools.hpp"

#include <mutex>
#include <set>
#include <utility>

namespace warpgraph::cuda {
namespace {

/// Enables access to memory of cudaMalloc. Another library of the process may have done so already.
void enable_access_to_allocations(Device device, Device peer) {
  const DeviceGuard guard(device);
  const cudaError_t status = cudaDeviceEnablePeerAccess(peer.index, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();
    return;
  }
  CUDA_TRY(status);
}

/// Enables access to memory of a stream-ordered pool, which has access rights of its own.
void enable_access_to_pool(Device device, Device peer, Lifetime lifetime) {
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = device.index;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  CUDA_TRY(cudaMemPoolSetAccess(memory_pool(peer, lifetime), &access, 1));
}

}  // namespace

bool can_access_peer(Device device, Device peer) {
  int possible = 0;
  CUDA_TRY(cudaDeviceCanAccessPeer(&possible, device.index, peer.index));
  return possible != 0;
}

void enable_peer_access(Device device, Device peer) {
  if (device.index == peer.index) return;
  // Not freed at exit, when threads may still call this.
  static std::mutex& mutex = *new std::mutex;
  static std::set<std::pair<int, int>>& enabled = *new std::set<std::pair<int, int>>;
  const std::lock_guard lock(mutex);
  if (enabled.contains({device.index, peer.index})) return;
  if (!can_access_peer(device, peer)) {
    throw DeviceError(concat(device.name(), " cannot access the memory of ", peer.name()));
  }
  enable_access_to_allocations(device, peer);
  enable_access_to_pool(device, peer, Lifetime::call);
  enable_access_to_pool(device, peer, Lifetime::kept);
  enabled.insert({device.index, peer.index});
}

void enable_peer_access(const std::vector<Device>& devices) {
  for (const Device device : devices) {
    for (const Device peer : devices) enable_peer_access(device, peer);
  }
}

void require_peer_atomics(Device device, Device peer) {
  if (device.index == peer.index) return;
  int possible = 0;
  CUDA_TRY(cudaDeviceGetP2PAttribute(&possible, cudaDevP2PAttrNativeAtomicSupported, device.index,
                                     peer.index));
  if (possible != 0) return;
  throw DeviceError(concat("atomic operations of ", device.name(), " on the memory of ",
                           peer.name(), " are not possible: they need NVLink"));
}

}  // namespace warpgraph::cuda
