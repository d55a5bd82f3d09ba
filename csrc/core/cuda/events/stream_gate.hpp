// A gate holds a stream until the host or another stream opens it. CUDA's events cannot: a wait for
// an event that has not been recorded yet does not wait.
#pragma once

#include "core/cuda/stream.hpp"

#include <atomic>
#include <cstdint>

namespace warpgraph::cuda {

class StreamGate {
 public:
  /// Whether streams can wait for a number in page-locked host memory, which gates are.
  [[nodiscard]] static bool is_supported();

  /// Work that is put on the stream from now on begins after the gate was opened.
  explicit StreamGate(cudaStream_t stream);
  /// Opens it, if nobody has: a stream that is held for ever would keep its resources.
  ~StreamGate() { open(); }
  StreamGate(const StreamGate&) = delete;
  StreamGate& operator=(const StreamGate&) = delete;

  /// The first call of these two counts, of whatever thread.
  void open() noexcept;
  /// Opens it after the work that is on the stream now.
  void open_after(cudaStream_t stream);
  /// Whether one of them was called.
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }

  /// A place in page-locked memory. The numbers in it only grow, and a stream waits until there is
  /// at least its gate's. So another gate can use a slot as soon as the number is there, even if
  /// the stream of the gate before has not looked yet.
  struct Slot {
    std::uint32_t* place = nullptr;
    std::uint32_t number = 0;
  };

 private:
  Slot slot_;
  std::atomic<bool> is_open_{false};
};

/// From now on hook(stream) is called before a thread waits in a destructor for a stream that it
/// has borrowed (stream_pool.hpp), which may be held.
using WaitHook = void (*)(const Stream& stream) noexcept;
void call_before_waits(WaitHook hook) noexcept;
/// Calls it.
void about_to_wait_for(const Stream& stream) noexcept;

}  // namespace warpgraph::cuda
