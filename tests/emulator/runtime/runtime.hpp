// Declarations that the parts of the emulated runtime share.
#pragma once

#include "cuda_runtime_api.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace emulator {

/// A recursive mutex that its owner can give up, however often it has locked it. Threads get it in
/// the order in which they come, also beside one that polls without end.
class RuntimeMutex {
 public:
  void lock() {
    std::unique_lock inner(mutex_);
    if (depth_ == 0 || owner_ != std::this_thread::get_id()) wait_for_turn(inner);
    ++depth_;
  }
  void unlock() {
    const std::lock_guard inner(mutex_);
    if (--depth_ == 0) end_turn();
  }
  /// For the owner: calls work() while others may lock the mutex.
  template <class Work>
  void without(Work&& work) {
    std::unique_lock inner(mutex_);
    const int depth = std::exchange(depth_, 0);
    end_turn();
    inner.unlock();
    work();
    inner.lock();
    wait_for_turn(inner);
    depth_ = depth;
  }

 private:
  void wait_for_turn(std::unique_lock<std::mutex>& inner) {
    const std::uint64_t turn = n_came_++;
    changed_.wait(inner, [&] { return turn == n_went_; });
    owner_ = std::this_thread::get_id();
  }
  void end_turn() {
    ++n_went_;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t n_came_ = 0;
  std::uint64_t n_went_ = 0;
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
