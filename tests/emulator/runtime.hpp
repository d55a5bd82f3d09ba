// Declarations that the parts of the emulated runtime share.
#pragma once

#include "cuda_runtime_api.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace emulator {

/// A recursive mutex that its owner can give up, however often it has locked it.
class RuntimeMutex {
 public:
  void lock() {
    std::unique_lock inner(mutex_);
    const std::thread::id me = std::this_thread::get_id();
    free_.wait(inner, [&] { return depth_ == 0 || owner_ == me; });
    owner_ = me;
    ++depth_;
  }
  void unlock() {
    const std::lock_guard inner(mutex_);
    if (--depth_ == 0) free_.notify_one();
  }
  /// For the owner: calls work() while others may lock the mutex.
  template <class Work>
  void without(Work&& work) {
    std::unique_lock inner(mutex_);
    const int depth = std::exchange(depth_, 0);
    free_.notify_one();
    inner.unlock();
    work();
    inner.lock();
    free_.wait(inner, [&] { return depth_ == 0; });
    owner_ = std::this_thread::get_id();
    depth_ = depth;
  }

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  std::thread::id owner_;
  int depth_ = 0;
};

/// Guards all state of the runtime. The work of a stream is done under it, so two host threads
/// alternate, except for cooperative launches, which may wait for each other and for the host.
RuntimeMutex& runtime_mutex();
/// The latest message on this thread.
const std::string& latest_sentence();

/// Stores a message for cudaGetErrorString, and returns the error.
cudaError_t explain(cudaError_t error, const std::string& sentence);
/// The same, and cudaGetLastError() returns it.
cudaError_t set_last(cudaError_t error);

/// The kind of memory that a pointer points to.
enum class Place { unknown, device, pinned };
Place place_of(const void* pointer);
/// Whether `bytes` at a pointer lie within one allocation; true for memory of unknown origin.
bool is_within(const void* pointer, std::size_t bytes);
int current_device();

}  // namespace emulator
