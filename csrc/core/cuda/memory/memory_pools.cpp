#include "core/cuda/memory/memory_pools.hpp"

#include "core/cuda/device_guard.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>

namespace warpgraph::cuda {
namespace {

struct MemoryPool {
  cudaMemPool_t handle = nullptr;
  std::size_t bytes_to_retain = 0;
};

struct Pools {
  MemoryPool of_calls;
  MemoryPool of_kept;
};

std::uint64_t attribute(cudaMemPool_t pool, cudaMemPoolAttr name) {
  std::uint64_t value = 0;
  CUDA_TRY(cudaMemPoolGetAttribute(pool, name, &value));
  return value;
}

/// Makes the pools and their limits of retained memory, which is not returned to the driver at
/// every synchronisation: enough for calls on a large graph, little for other programs. On an H200,
/// a call that needs 7 GiB is a sixth faster. Copies of graphs gain less: to write one takes longer
/// than to map its memory.
Pools make_pools(Device device) {
  constexpr std::size_t share_of_calls = 16;
  constexpr std::size_t share_of_kept = 32;
  require_device(device);
  const DeviceGuard guard(device);
  std::size_t free = 0;
  std::size_t total = 0;
  CUDA_TRY(cudaMemGetInfo(&free, &total));
  Pools made{{nullptr, total / share_of_calls}, {nullptr, total / share_of_kept}};
  CUDA_TRY(cudaDeviceGetDefaultMemPool(&made.of_calls.handle, device.index));
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device.index;
  CUDA_TRY(cudaMemPoolCreate(&made.of_kept.handle, &properties));
  return made;
}

const Pools& pools(Device device) {
  // Never destroyed: at exit the driver may be gone before static destructors run.
  static std::mutex& mutex = *new std::mutex;
  static std::map<int, Pools>& made = *new std::map<int, Pools>;
  const std::lock_guard lock(mutex);
  const auto known = made.find(device.index);
  if (known != made.end()) return known->second;
  return made.emplace(device.index, make_pools(device)).first->second;
}

const MemoryPool& pool(Device device, Lifetime lifetime) {
  const Pools& of_device = pools(device);
  return lifetime == Lifetime::call ? of_device.of_calls : of_device.of_kept;
}

std::size_t idle_in(const MemoryPool& pool) {
  const std::uint64_t reserved = attribute(pool.handle, cudaMemPoolAttrReservedMemCurrent);
  const std::uint64_t used = attribute(pool.handle, cudaMemPoolAttrUsedMemCurrent);
  return reserved - std::min(used, reserved);  // other threads may use more meanwhile
}

}  // namespace

cudaMemPool_t memory_pool(Device device, Lifetime lifetime) {
  return pool(device, lifetime).handle;
}

std::size_t idle_in_pools(Device device) {
  const Pools& of_device = pools(device);
  return idle_in(of_device.of_calls) + idle_in(of_device.of_kept);
}

void retain_freed(Device device, Lifetime lifetime) {
  const MemoryPool& changed = pool(device, lifetime);
  // The driver's threshold counts what is in use, too.
  std::uint64_t threshold = attribute(changed.handle, cudaMemPoolAttrUsedMemCurrent);
  threshold += changed.bytes_to_retain;
  CUDA_TRY(cudaMemPoolSetAttribute(changed.handle, cudaMemPoolAttrReleaseThreshold, &threshold));
}

void trim_pools(Device device) {
  const Pools& of_device = pools(device);
  CUDA_TRY(cudaMemPoolTrimTo(of_device.of_calls.handle, 0));
  CUDA_TRY(cudaMemPoolTrimTo(of_device.of_kept.handle, 0));
}

}  // namespace warpgraph::cuda
