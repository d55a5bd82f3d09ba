// Stands in for CUDA's header of this name. Copies are done by the wait, not before, so that
// code which does not wait reads the old contents.
#pragma once

#include "cuda_runtime.h"

namespace emulator {

void copy_later(void* to, const void* from, std::size_t bytes);
void end_batch();
void wait_for_copies(unsigned but_batches);
/// Discards copies of an earlier block that did not wait for them.
void forget_copies();

}  // namespace emulator

inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes) {
  emulator::copy_later(to, from, bytes);
}
inline void __pipeline_commit() { emulator::end_batch(); }
/// Waits for all batches but the last `n` that were committed.
inline void __pipeline_wait_prior(unsigned n) { emulator::wait_for_copies(n); }
