// Asynchronous copies to shared memory. Threads are not preempted in these functions, and a block
// runs on one OS thread, so there is no locking.
#include "cuda_pipeline_primitives.h"

#include <vector>

namespace emulator {
namespace {

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
  unsigned batch;
};

/// Of one thread of the block.
struct Pipeline {
  std::vector<Copy> pending;
  unsigned batch = 0;  // the one that is being filled
};

thread_local std::vector<Pipeline> pipelines;

Pipeline& mine() {
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  if (pipelines.size() <= thread) pipelines.resize(thread + 1);
  return pipelines[thread];
}

}  // namespace

void copy_later(void* to, const void* from, std::size_t bytes) {
  const auto bits = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  if ((bytes != 4 && bytes != 8 && bytes != 16) || bits % bytes != 0) {
    fail("__pipeline_memcpy_async copies 4, 8 or 16 bytes that lie at a multiple of as many");
  }
  mine().pending.push_back({to, from, bytes, mine().batch});
}

void end_batch() { ++mine().batch; }

void wait_for_copies(unsigned but_batches) {
  const unsigned batch = mine().batch;
  std::erase_if(mine().pending, [&](const Copy& copy) {
    if (copy.batch + but_batches >= batch) return false;
    std::memcpy(copy.to, copy.from, copy.bytes);
    return true;
  });
}

void forget_copies() { pipelines.clear(); }

}  // namespace emulator
