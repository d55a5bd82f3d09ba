#include "core/cuda/memory/pinned_memory.hpp"

#include "core/cuda/device_guard.hpp"

#include <bit>
#include <map>
#include <mutex>
#include <unistd.h>
#include <utility>
#include <vector>

namespace warpgraph::cuda {
namespace {

struct PinnedPool {
  const pid_t process = getpid();
  std::mutex mutex;
  std::map<std::size_t, std::vector<void*>> idle;  // blocks by their size
  std::size_t idle_bytes = 0;
};

/// Returns the pool, which is never destroyed: at exit the driver may be gone before static
/// destructors run. A forked process does not use its parent's pool, since a thread of the parent
/// may have held its mutex.
PinnedPool& pinned_pool() {
  static PinnedPool* instance = new PinnedPool;
  if (instance->process != getpid()) instance = new PinnedPool;
  return *instance;
}

/// Rounds up to a size class, so that requests of similar size share blocks: powers of two and the
/// sizes halfway between them, at least a page. A block too large for the pool is not rounded.
std::size_t rounded(std::size_t bytes) {
  constexpr std::size_t page = 4096;
  if (bytes <= page) return page;
  if (bytes > max_idle_pinned) return bytes;
  const std::size_t power = std::bit_ceil(bytes);
  return bytes <= power / 4 * 3 ? power / 4 * 3 : power;
}

/// Allocates page-locked memory. If it cannot be had, frees the idle blocks and tries once more.
cudaError_t allocate_pinned(void** memory, std::size_t bytes) {
  const DeviceGuard device(device_with_context());
  const cudaError_t status = cudaMallocHost(memory, bytes);
  if (status != cudaErrorMemoryAllocation || idle_pinned_bytes() == 0) return status;
  cudaGetLastError();  // clears the error, so that later launches do not report it
  free_idle_pinned();
  return cudaMallocHost(memory, bytes);
}

}  // namespace

PinnedBlock borrow_pinned(std::size_t bytes) {
  PinnedBlock block{nullptr, rounded(bytes)};
  PinnedPool& from = pinned_pool();
  {
    const std::lock_guard guard(from.mutex);
    const auto found = from.idle.find(block.bytes);
    if (found != from.idle.end() && !found->second.empty()) {
      block.memory = found->second.back();
      found->second.pop_back();
      from.idle_bytes -= block.bytes;
      return block;
    }
  }
  const cudaError_t status = allocate_pinned(&block.memory, block.bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // clears the error
    throw OutOfMemory(concat("page-locking ", block.bytes, " bytes of host memory failed: there ",
                             "is not so much that may be locked"));
  }
  CUDA_TRY(status);
  return block;
}

void return_pinned(PinnedBlock block) noexcept {
  PinnedPool& to = pinned_pool();
  try {
    const std::lock_guard guard(to.mutex);
    if (to.idle_bytes + block.bytes <= max_idle_pinned) {
      to.idle[block.bytes].push_back(block.memory);
      to.idle_bytes += block.bytes;
      return;
    }
  } catch (...) {  // out of memory: the block is freed instead
  }
  free_pinned(block);
}

void free_pinned(PinnedBlock block) noexcept {
  try {
    const DeviceGuard device(device_with_context());
    cudaFreeHost(block.memory);
  } catch (...) {  // the driver has shut down
  }
}

std::size_t idle_pinned_bytes() {
  const std::lock_guard guard(pinned_pool().mutex);
  return pinned_pool().idle_bytes;
}

void free_idle_pinned() {
  std::map<std::size_t, std::vector<void*>> idle;
  {
    const std::lock_guard guard(pinned_pool().mutex);
    idle = std::exchange(pinned_pool().idle, {});
    pinned_pool().idle_bytes = 0;
  }
  for (const auto& [bytes, blocks] : idle) {
    for (void* const memory : blocks) free_pinned({memory, bytes});
  }
}

}  // namespace warpgraph::cuda
