// How code that is compiled without CUDA refers to the work on streams of devices.
#pragma once

#include "core/device.hpp"
#include "runtime/devices/held_streams.hpp"

#include <memory>

struct CUstream_st;

namespace warpgraph {
namespace cuda {
class Stream;
}

namespace runtime {

/// A stream of a device, not its owner. The handle is CUDA's cudaStream_t.
struct StreamRef {
  Device device;
  CUstream_st* handle = nullptr;
};

[[nodiscard]] StreamRef ref(const cuda::Stream& stream);

/// A point in the work on a stream: what CUDA calls a recorded event.
class StreamPoint {
 public:
  virtual ~StreamPoint() = default;
  /// Whether the work before the point is done. Throws CudaError if it has failed.
  [[nodiscard]] virtual bool is_reached() = 0;
  /// Work that is put on the stream from now on begins after the point.
  void hold(StreamRef stream) {
    if (make_wait(stream)) add_hold(stream, behind_);
  }
  /// What held the stream when the point was recorded.
  [[nodiscard]] const std::shared_ptr<Hold>& behind() const noexcept { return behind_; }

 protected:
  /// Of this stream. Called before the point is recorded.
  explicit StreamPoint(StreamRef stream) : behind_(hold_of(stream)) {}
  /// False: there is nothing to wait for.
  virtual bool make_wait(StreamRef stream) = 0;

 private:
  const std::shared_ptr<Hold> behind_;
};

/// Holds a stream until it is opened, by the destructor at the latest. Several threads may open it.
class Gate {
 public:
  virtual ~Gate() = default;
  virtual void open() noexcept = 0;
  /// After the work that is on the stream now.
  virtual void open_after(StreamRef stream) = 0;
  /// Whether it is open, or will be after work on a stream.
  [[nodiscard]] virtual bool is_open() const noexcept = 0;
};

/// The point after the work that is on the stream now.
[[nodiscard]] std::shared_ptr<StreamPoint> point_on(StreamRef stream);

/// Null if the driver has no gates.
[[nodiscard]] std::shared_ptr<Gate> gate_on(StreamRef stream);

}  // namespace runtime
}  // namespace warpgraph
