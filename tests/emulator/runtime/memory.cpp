// Device memory is host memory, filled with garbage on allocation and on release. Margins on both
// sides are checked on release: a kernel has written out of bounds if they have changed.
#include "kernels/grid.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

struct CUmemPoolHandle_st {
  std::size_t used = 0;  // bytes; no more are reserved
};

namespace emulator {
namespace {

constexpr std::size_t margin = 256;  // also the alignment that CUDA promises
constexpr unsigned char margin_byte = 0xe7;

struct Allocation {
  std::size_t bytes;
  Place place;
  cudaMemPool_t pool;  // or null
};

struct Memory {
  std::map<const char*, Allocation> allocations;  // by address
  std::size_t device_bytes = 0;
  std::map<int, CUmemPoolHandle_st> default_pools;  // by device
  std::vector<std::unique_ptr<CUmemPoolHandle_st>> made_pools;
};

Memory& memory() {
  static Memory& instance = *new Memory;
  return instance;
}

const std::pair<const char* const, Allocation>* find(const void* pointer) {
  const auto* address = static_cast<const char*>(pointer);
  auto after = memory().allocations.upper_bound(address);
  if (after == memory().allocations.begin()) return nullptr;
  const auto& found = *--after;
  return address < found.first + std::max<std::size_t>(found.second.bytes, 1) ? &found : nullptr;
}

cudaError_t take(void** result, std::size_t bytes, Place place, cudaMemPool_t pool = nullptr) {
  const std::lock_guard lock(runtime_mutex());
  const bool fits = place != Place::device || bytes <= settings().memory - memory().device_bytes;
  const std::size_t rounded = (bytes + margin - 1) / margin * margin + 2 * margin;
  auto* base = fits ? static_cast<char*>(std::aligned_alloc(margin, rounded)) : nullptr;
  if (base == nullptr) {
    return set_last(explain(cudaErrorMemoryAllocation, "the emulated device is out of memory"));
  }
  std::memset(base, margin_byte, rounded);
  std::memset(base + margin, garbage, bytes);
  memory().allocations.emplace(base + margin, Allocation{bytes, place, pool});
  if (place == Place::device) memory().device_bytes += bytes;
  if (pool != nullptr) pool->used += bytes;
  *result = base + margin;
  return cudaSuccess;
}

cudaError_t give_back(void* pointer) {
  const std::lock_guard lock(runtime_mutex());
  auto* address = static_cast<char*>(pointer);
  const auto found = memory().allocations.find(address);
  if (found == memory().allocations.end()) {
    return explain(cudaErrorInvalidValue, "memory was freed that is not allocated");
  }
  const auto [bytes, place, pool] = found->second;
  const auto is_untouched = [](char c) { return static_cast<unsigned char>(c) == margin_byte; };
  const bool sound = std::all_of(address - margin, address, is_untouched) &&
                     std::all_of(address + bytes, address + bytes + margin, is_untouched);
  if (place == Place::device) memory().device_bytes -= bytes;
  if (pool != nullptr) pool->used -= bytes;
  memory().allocations.erase(found);
  std::memset(address, garbage, bytes);
  std::free(address - margin);
  if (sound) return cudaSuccess;
  return explain(cudaErrorIllegalAddress, "something was written beside an allocation of " +
                                              std::to_string(bytes) + " bytes");
}

}  // namespace

Place place_of(const void* pointer) {
  const auto* found = find(pointer);
  return found != nullptr ? found->second.place : Place::unknown;
}

bool is_within(const void* pointer, std::size_t bytes) {
  const auto* found = find(pointer);
  return found == nullptr ||
         static_cast<const char*>(pointer) + bytes <= found->first + found->second.bytes;
}

}  // namespace emulator

using namespace emulator;

cudaError_t cudaMallocFromPoolAsync(void** result, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t) {
  return take(result, bytes, Place::device, pool);
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return enqueue(
      stream, [pointer] { return give_back(pointer); }, true);
}
cudaError_t cudaMalloc(void** result, std::size_t bytes) {
  return take(result, bytes, Place::device);
}
cudaError_t cudaFree(void* pointer) {
  cudaDeviceSynchronize();  // as CUDA does
  return give_back(pointer);
}
cudaError_t cudaMallocHost(void** result, std::size_t bytes) {
  return take(result, bytes, Place::pinned);
}
cudaError_t cudaFreeHost(void* pointer) {
  cudaDeviceSynchronize();  // as CUDA does
  return give_back(pointer);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const std::lock_guard lock(runtime_mutex());
  const Place place = place_of(pointer);
  attributes->type = place == Place::device   ? cudaMemoryTypeDevice
                     : place == Place::pinned ? cudaMemoryTypeHost
                                              : cudaMemoryTypeUnregistered;
  attributes->device = 0;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  const std::lock_guard lock(runtime_mutex());
  *total = settings().memory;
  *free = *total - memory().device_bytes;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  const std::lock_guard lock(runtime_mutex());
  *pool = &memory().default_pools[device];
  return cudaSuccess;
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
  const std::lock_guard lock(runtime_mutex());
  memory().made_pools.push_back(std::make_unique<CUmemPoolHandle_st>());
  *pool = memory().made_pools.back().get();
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) { return cudaSuccess; }
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr, void* value) {
  const std::lock_guard lock(runtime_mutex());
  *static_cast<std::uint64_t*>(value) = pool->used;
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  const std::lock_guard lock(runtime_mutex());
  if (!is_within(to, bytes) || !is_within(from, bytes)) {
    return set_last(explain(cudaErrorInvalidValue, "a copy reaches beyond an allocation"));
  }
  if (place_of(from) == Place::unknown) {
    // CUDA has read pageable memory when it returns.
    const auto* data = static_cast<const char*>(from);
    return enqueue(stream, [to, staged = std::vector<char>(data, data + bytes)] {
      std::memcpy(to, staged.data(), staged.size());
      return cudaSuccess;
    });
  }
  const cudaError_t status = enqueue(stream, [to, from, bytes] {
    std::memmove(to, from, bytes);
    return cudaSuccess;
  });
  // And it has written to pageable memory.
  return place_of(to) == Place::unknown ? cudaStreamSynchronize(stream) : status;
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  if (width > to_pitch || width > from_pitch) {
    return set_last(explain(cudaErrorInvalidValue, "rows of a copy overlap"));
  }
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t status =
        cudaMemcpyAsync(static_cast<char*>(to) + row * to_pitch,
                        static_cast<const char*>(from) + row * from_pitch, width, kind, stream);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t stream) {
  const std::lock_guard lock(runtime_mutex());
  if (!is_within(to, bytes)) {
    return set_last(explain(cudaErrorInvalidValue, "a fill reaches beyond an allocation"));
  }
  return enqueue(stream, [to, byte, bytes] {
    std::memset(to, byte, bytes);
    return cudaSuccess;
  });
}
