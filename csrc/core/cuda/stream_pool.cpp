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
};

/// Never destroyed: at exit the driver may be gone before static destructors run.
Pool& pool() {
  static Pool& instance = *new Pool;
  return instance;
}

void prepare(Device device) {
  require_device(device);
  cudaMemPool_t memory = nullptr;
  CUDA_TRY(cudaDeviceGetDefaultMemPool(&memory, device.index));
  const DeviceGuard guard(device);
  std::size_t free = 0;
  std::size_t total = 0;
  CUDA_TRY(cudaMemGetInfo(&free, &total));
  std::uint64_t threshold = total / retained_share;
  CUDA_TRY(cudaMemPoolSetAttribute(memory, cudaMemPoolAttrReleaseThreshold, &threshold));
}

Stream take(Device device) {
  {
    const std::lock_guard lock(pool().mutex);
    const auto found = pool().idle.find(device.index);
    if (found != pool().idle.end() && !found->second.empty()) {
      Stream stream = std::move(found->second.back());
      found->second.pop_back();
      return stream;
    }
  }
  prepare(device);
  return Stream(device);
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
