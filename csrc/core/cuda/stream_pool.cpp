#include "core/cuda/stream_pool.hpp"

#include "core/cuda/contexts.hpp"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace warpgraph::cuda {
namespace {

struct StreamPool {
  std::mutex mutex;
  std::map<std::pair<int, Lifetime>, std::vector<Stream>> idle;
};

/// Returns the pool, which is never destroyed: at exit the driver may be gone before static
/// destructors run.
StreamPool& stream_pool() {
  static StreamPool& instance = *new StreamPool;
  return instance;
}

Stream take(Device device, Lifetime lifetime) {
  retain_freed(device, lifetime);
  const std::lock_guard lock(stream_pool().mutex);
  std::vector<Stream>& idle = stream_pool().idle[{device.index, lifetime}];
  if (idle.empty()) {
    Stream made(device, StreamPriority::normal, lifetime);
    note_context();
    return made;
  }
  Stream stream = std::move(idle.back());
  idle.pop_back();
  return stream;
}

}  // namespace

BorrowedStream::BorrowedStream(Device device, Lifetime lifetime)
    : stream_(take(device, lifetime)) {}

BorrowedStream::~BorrowedStream() {
  // A stream in an error state is destroyed instead of returned.
  if (!stream_.finish()) {
    cudaGetLastError();
    return;
  }
  try {
    const std::lock_guard lock(stream_pool().mutex);
    stream_pool().idle[{stream_.device().index, stream_.lifetime()}].push_back(std::move(stream_));
  } catch (...) {  // out of memory: the stream is destroyed instead
  }
}

}  // namespace warpgraph::cuda
