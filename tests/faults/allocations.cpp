// Stands between the module and the memory of the host and of devices: counts what is allocated and
// not yet freed, and lets the k-th allocation fail. The linker passes every call here
// (--wrap, see cmake/fail_allocations.cmake), so nothing in csrc/ knows of it, and operator new,
// the memory of exceptions and the standard library's own memory are covered, too.
#include "allocations.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <new>
#include <unordered_map>

#if defined(WARPGRAPH_HAS_CUDA)
#include <cuda_runtime_api.h>
#endif

extern "C" {
void* __real_malloc(std::size_t bytes);
void* __real_calloc(std::size_t n, std::size_t bytes);
void* __real_realloc(void* memory, std::size_t bytes);
void* __real_aligned_alloc(std::size_t alignment, std::size_t bytes);
int __real_posix_memalign(void** memory, std::size_t alignment, std::size_t bytes);
void __real_free(void* memory);
#if defined(WARPGRAPH_HAS_CUDA)
cudaError_t __real_cudaMalloc(void** memory, std::size_t bytes);
cudaError_t __real_cudaFree(void* memory);
cudaError_t __real_cudaMallocFromPoolAsync(void** memory, std::size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream);
cudaError_t __real_cudaFreeAsync(void* memory, cudaStream_t stream);
cudaError_t __real_cudaMallocHost(void** memory, std::size_t bytes);
cudaError_t __real_cudaFreeHost(void* memory);
#endif
}

namespace faults {
namespace {

/// For the register itself, whose memory must neither be counted nor fail.
template <class T>
struct Uncounted {
  using value_type = T;
  Uncounted() = default;
  template <class U>
  explicit(false) Uncounted(const Uncounted<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(__real_malloc(n * sizeof(T))); }
  void deallocate(T* items, std::size_t) { __real_free(items); }
  bool operator==(const Uncounted&) const = default;
};

using Blocks = std::unordered_map<void*, std::size_t, std::hash<void*>, std::equal_to<>,
                                  Uncounted<std::pair<void* const, std::size_t>>>;

/// What is alive of one kind of memory. Blocks that others allocated and the module frees, such as
/// those of strdup(), are not known here.
class Register {
 public:
  void add(void* memory, std::size_t bytes) {
    if (memory == nullptr) return;
    const std::lock_guard lock(mutex_);
    blocks_[memory] = bytes;
    bytes_ += bytes;
    peak_ = std::max(peak_, bytes_);
  }
  void remove(void* memory) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(memory);
    if (found == blocks_.end()) return;
    bytes_ -= found->second;
    blocks_.erase(found);
  }
  Usage usage(bool forget_peak) {
    const std::lock_guard lock(mutex_);
    const Usage usage{blocks_.size(), bytes_, peak_};
    if (forget_peak) peak_ = bytes_;
    return usage;
  }

 private:
  std::mutex mutex_;
  Blocks blocks_;
  std::size_t bytes_ = 0;
  std::size_t peak_ = 0;
};

/// Never destroyed: static objects of others are freed after those of this file.
Register& of(Kind kind) {
  alignas(Register) static unsigned char place[2][sizeof(Register)];
  static Register* const registers[2] = {new (place[0]) Register, new (place[1]) Register};
  return *registers[static_cast<int>(kind)];
}

std::atomic<std::int64_t> left[2] = {0, 0};  // allocations until one fails; 0 for never
std::atomic<std::int64_t> count[2] = {0, 0};

bool fails(Kind kind) {
  const int i = static_cast<int>(kind);
  count[i].fetch_add(1, std::memory_order_relaxed);
  std::int64_t now = left[i].load(std::memory_order_relaxed);
  while (now > 0) {
    if (left[i].compare_exchange_weak(now, now - 1)) return now == 1;
  }
  return false;
}

void* counted(void* memory, std::size_t bytes) {
  of(Kind::host).add(memory, bytes);
  return memory;
}

void* out_of_memory() {
  errno = ENOMEM;
  return nullptr;
}

}  // namespace

std::int64_t fail(Kind kind, std::int64_t k) { return left[static_cast<int>(kind)].exchange(k); }

Usage usage(Kind kind, bool forget_peak) {
  Usage usage = of(kind).usage(forget_peak);
  usage.allocations = count[static_cast<int>(kind)].load();
  return usage;
}

}  // namespace faults

using namespace faults;

extern "C" {

void* __wrap_malloc(std::size_t bytes) {
  return fails(Kind::host) ? out_of_memory() : counted(__real_malloc(bytes), bytes);
}

void* __wrap_calloc(std::size_t n, std::size_t bytes) {
  return fails(Kind::host) ? out_of_memory() : counted(__real_calloc(n, bytes), n * bytes);
}

void* __wrap_realloc(void* memory, std::size_t bytes) {
  if (fails(Kind::host)) return out_of_memory();
  of(Kind::host).remove(memory);
  return counted(__real_realloc(memory, bytes), bytes);
}

void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return fails(Kind::host) ? out_of_memory()
                           : counted(__real_aligned_alloc(alignment, bytes), bytes);
}

int __wrap_posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  if (fails(Kind::host)) return ENOMEM;
  const int status = __real_posix_memalign(memory, alignment, bytes);
  if (status == 0) counted(*memory, bytes);
  return status;
}

void __wrap_free(void* memory) {
  if (memory != nullptr) of(Kind::host).remove(memory);
  __real_free(memory);
}

#if defined(WARPGRAPH_HAS_CUDA)

cudaError_t __wrap_cudaMalloc(void** memory, std::size_t bytes) {
  if (fails(Kind::device)) return cudaErrorMemoryAllocation;
  const cudaError_t status = __real_cudaMalloc(memory, bytes);
  if (status == cudaSuccess) of(Kind::device).add(*memory, bytes);
  return status;
}

cudaError_t __wrap_cudaFree(void* memory) {
  of(Kind::device).remove(memory);
  return __real_cudaFree(memory);
}

cudaError_t __wrap_cudaMallocFromPoolAsync(void** memory, std::size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream) {
  if (fails(Kind::device)) return cudaErrorMemoryAllocation;
  const cudaError_t status = __real_cudaMallocFromPoolAsync(memory, bytes, pool, stream);
  if (status == cudaSuccess) of(Kind::device).add(*memory, bytes);
  return status;
}

cudaError_t __wrap_cudaFreeAsync(void* memory, cudaStream_t stream) {
  of(Kind::device).remove(memory);
  return __real_cudaFreeAsync(memory, stream);
}

cudaError_t __wrap_cudaMallocHost(void** memory, std::size_t bytes) {
  if (fails(Kind::device)) return cudaErrorMemoryAllocation;
  const cudaError_t status = __real_cudaMallocHost(memory, bytes);
  if (status == cudaSuccess) of(Kind::device).add(*memory, bytes);
  return status;
}

cudaError_t __wrap_cudaFreeHost(void* memory) {
  of(Kind::device).remove(memory);
  return __real_cudaFreeHost(memory);
}

#endif
}
