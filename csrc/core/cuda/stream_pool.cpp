#include "core/cuda/stream_pool.hpp"

#include <map>
#include <mutex>
#include <vector>

namespace warpgraph::cuda {
namespace {

/// The device's memory pool may retain 1/retained_share of the device's memory when it is freed,
/// instead of returning it to the driver at every synchronisation: enough for the scratch memory of
/// a large graph, little for other programs. On an H200, a call that needs 7 GiB is a sixth faster.
constexpr std::size_t retained_share = 16;

struct Pool {
  std::mutex mutex;
  std::map<int, std::vector<Stream>> idle;
  std::map<int, std::size_t> retained;  // bytes on a device
};

/// Never destroyed: at exit the driver may be gone before static destructors run.
Pool& pool() {
  static Pool& instance = *new Pool;
  return instance;
}

std::size_t bytes_to_retain(Device device) {
  require_device(device);
  const DeviceGuard guard(device);
  std::size_t free = 0;
  std::size_t total = 0;
  CUDA_TRY(cudaMemGetInfo(&free, &total));
  return total / retained_share;
}

/// The driver's threshold counts what is in use, too: with 5 GiB of graphs on the device, one of 5
/// GiB would retain nothing.
void retain_beside_used(Device device, std::size_t bytes) {
  cudaMemPool_t memory = nullptr;
  CUDA_TRY(cudaDeviceGetDefaultMemPool(&memory, device.index));
  std::uint64_t threshold = 0;
  CUDA_TRY(cudaMemPoolGetAttribute(memory, cudaMemPoolAttrUsedMemCurrent, &threshold));
  threshold += bytes;
  CUDA_TRY(cudaMemPoolSetAttribute(memory, cudaMemPoolAttrReleaseThreshold, &threshold));
}

Stream take(Device device) {
  const std::lock_guard lock(pool().mutex);
  const auto known = pool().retained.find(device.index);
  const std::size_t retained =
      known != pool().retained.end() ? known->second : bytes_to_retain(device);
  pool().retained[device.index] = retained;
  retain_beside_used(device, retained);
  std::vector<Stream>& idle = pool().idle[device.index];
  if (idle.empty()) return Stream(device);
  Stream stream = std::move(idle.back());
  idle.pop_back();
  return stream;
}

}  // namespace

BorrowedStream::BorrowedStream(Device device) : stream_(take(device)) {}

BorrowedStream::~BorrowedStream() {
  // A stream in an error state is destroyed instead of returned.
  if (cudaStreamSynchronize(stream_.get()) != cudaSuccess) {
    cudaGetLastError();
    return;
  }
  try {
    const std::lock_guard lock(pool().mutex);
    pool().idle[stream_.device().index].push_back(std::move(stream_));
  } catch (...) {  // out of memory: the stream is destroyed instead
  }
}

}  // namespace warpgraph::cuda
