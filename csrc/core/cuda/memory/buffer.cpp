#include "core/cuda/memory/buffer.hpp"

#include "core/memory/lazy_array.hpp"

namespace warpgraph::cuda {

DeviceMemory::DeviceMemory(std::size_t bytes, const Stream& stream) : stream_(stream.get()) {
  if (bytes == 0) return;
  const DeviceGuard guard(stream.device());
  const cudaMemPool_t pool = memory_pool(stream.device(), stream.lifetime());
  const auto allocate = [&] { return cudaMallocFromPoolAsync(&data_, bytes, pool, stream_); };
  cudaError_t status = allocate();
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    evict_lazy_arrays(stream.device());
    trim_pools(stream.device());  // another pool may retain what is missing
    status = allocate();
  }
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw OutOfMemory(concat("allocating ", bytes, " bytes on ", stream.device().name(),
                             " failed: the device is out of memory"));
  }
  CUDA_TRY(status);
}

void copy_bytes(void* to, const void* from, std::size_t bytes, const Stream& stream) {
  if (bytes == 0) return;
  const DeviceGuard guard(stream.device());
  CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream.get()));
}

void copy_rows_of_bytes(void* to, const void* from, std::size_t pitch, std::int64_t n_rows,
                        std::size_t width, const Stream& stream) {
  if (n_rows == 0 || width == 0) return;
  const DeviceGuard guard(stream.device());
  CUDA_TRY(cudaMemcpy2DAsync(to, pitch, from, pitch, width, static_cast<std::size_t>(n_rows),
                             cudaMemcpyDefault, stream.get()));
}

void fill_bytes_of(void* to, int byte, std::size_t bytes, const Stream& stream) {
  if (bytes == 0) return;
  const DeviceGuard guard(stream.device());
  CUDA_TRY(cudaMemsetAsync(to, byte, bytes, stream.get()));
}

}  // namespace warpgraph::cuda
