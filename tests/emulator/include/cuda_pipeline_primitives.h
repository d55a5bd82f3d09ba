// Stands in for CUDA's header of this name. Copies are done when they are waited for, not before:
// whoever forgets to wait reads what was there.
#pragma once

#include "cuda_runtime.h"

#include <vector>

namespace emulator {

struct PendingCopy {
  void* to;
  const void* from;
  std::size_t bytes;
  unsigned batch;
};

/// The copies of one thread of a block.
struct Pipeline {
  std::vector<PendingCopy> pending;
  unsigned batch = 0;  // the one that is being filled
};

/// The calling thread's. A block runs on one OS thread.
inline Pipeline& pipeline() {
  static thread_local std::vector<Pipeline> of_block;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  if (of_block.size() <= thread) of_block.resize(thread + 1);
  return of_block[thread];
}

}  // namespace emulator

inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes) {
  const auto bits = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  if ((bytes != 4 && bytes != 8 && bytes != 16) || bits % bytes != 0) {
    emulator::fail("__pipeline_memcpy_async takes 4, 8 or 16 bytes that lie at a multiple of that");
  }
  emulator::Pipeline& mine = emulator::pipeline();
  mine.pending.push_back({to, from, bytes, mine.batch});
}
inline void __pipeline_commit() { ++emulator::pipeline().batch; }
/// Waits for all batches but the last `n` that were committed.
inline void __pipeline_wait_prior(unsigned n) {
  emulator::Pipeline& mine = emulator::pipeline();
  std::erase_if(mine.pending, [&](const emulator::PendingCopy& copy) {
    if (copy.batch + n >= mine.batch) return false;
    std::memcpy(copy.to, copy.from, copy.bytes);
    return true;
  });
}
