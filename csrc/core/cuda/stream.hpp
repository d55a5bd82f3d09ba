// Owners of streams and events. Functions borrow them as cudaStream_t / cudaEvent_t.
#pragma once

#include "core/cuda/copies/map_while_waiting.hpp"
#include "core/cuda/device_guard.hpp"
#include "core/cuda/memory/memory_pools.hpp"

#include <utility>

namespace warpgraph::cuda {

/// Priority of a stream. Blocks of kernels on a stream of high priority start before other blocks
/// that wait for a multiprocessor. Blocks that run are not interrupted.
enum class StreamPriority { normal, high };

class Stream {
 public:
  explicit Stream(Device device, StreamPriority priority = StreamPriority::normal,
                  Lifetime lifetime = Lifetime::call)
      : device_(device), lifetime_(lifetime) {
    const DeviceGuard guard(device);
    int normal = 0;
    int high = 0;
    CUDA_TRY(cudaDeviceGetStreamPriorityRange(&normal, &high));
    CUDA_TRY(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking,
                                          priority == StreamPriority::high ? high : normal));
  }
  ~Stream() {
    if (stream_ == nullptr) return;
    const DeviceGuard guard(device_, std::nothrow);
    cudaStreamDestroy(stream_);
  }
  Stream(Stream&& other) noexcept
      : device_(other.device_),
        lifetime_(other.lifetime_),
        stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(stream_, other.stream_);
    std::swap(lifetime_, other.lifetime_);
    std::swap(device_, other.device_);
    return *this;
  }

  [[nodiscard]] cudaStream_t get() const noexcept { return stream_; }
  [[nodiscard]] Device device() const noexcept { return device_; }
  /// Returns the lifetime of the buffers that are made with this stream.
  [[nodiscard]] Lifetime lifetime() const noexcept { return lifetime_; }
  /// Waits until all work on this stream is done.
  void synchronize() const {
    map_pages_while_busy();
    const DeviceGuard guard(device_);
    CUDA_TRY(cudaStreamSynchronize(stream_));
  }
  /// Waits until all work on this stream is done, without an exception, for destructors. Returns
  /// false if work has failed.
  bool finish() const noexcept {
    const DeviceGuard guard(device_, std::nothrow);
    return cudaStreamSynchronize(stream_) == cudaSuccess;
  }
  /// Returns whether work on this stream has neither finished nor failed.
  [[nodiscard]] bool is_busy() const noexcept {
    const DeviceGuard guard(device_, std::nothrow);
    return cudaStreamQuery(stream_) == cudaErrorNotReady;
  }
  /// Maps the pages of this thread's MapWhileWaiting, if it has one, while work on this stream
  /// runs.
  void map_pages_while_busy() const {
    MapWhileWaiting::map_until([&] { return !is_busy(); });
  }
  /// Lets later work on this stream begin after the event. Asynchronous.
  void wait_for(cudaEvent_t event) const {
    const DeviceGuard guard(device_);
    CUDA_TRY(cudaStreamWaitEvent(stream_, event, 0));
  }

 private:
  Device device_;
  Lifetime lifetime_;
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  explicit Event(Device device, unsigned flags = cudaEventDefault) : device_(device) {
    const DeviceGuard guard(device);
    CUDA_TRY(cudaEventCreateWithFlags(&event_, flags));
  }
  ~Event() {
    if (event_ == nullptr) return;
    const DeviceGuard guard(device_, std::nothrow);
    cudaEventDestroy(event_);
  }
  Event(Event&& other) noexcept
      : device_(other.device_), event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(event_, other.event_);
    return *this;
  }

  [[nodiscard]] cudaEvent_t get() const noexcept { return event_; }
  void record(cudaStream_t stream) const {
    const DeviceGuard guard(device_);
    CUDA_TRY(cudaEventRecord(event_, stream));
  }
  void synchronize() const { CUDA_TRY(cudaEventSynchronize(event_)); }
  /// Returns whether all work before its last record is done.
  [[nodiscard]] bool has_occurred() const {
    const cudaError_t status = cudaEventQuery(event_);
    if (status != cudaErrorNotReady) CUDA_TRY(status);
    return status == cudaSuccess;
  }

 private:
  Device device_;
  cudaEvent_t event_ = nullptr;
};

}  // namespace warpgraph::cuda
