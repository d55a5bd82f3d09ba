// How code that is compiled without CUDA refers to the work on streams of devices.
#pragma once

#include "core/device.hpp"

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
  virtual void hold(StreamRef stream) = 0;
  /// Blocks this thread until the work before the point is done or has failed.
  virtual void finish() noexcept = 0;
};

/// The point after the work that is on the stream now.
[[nodiscard]] std::shared_ptr<StreamPoint> point_on(StreamRef stream);

}  // namespace runtime
}  // namespace warpgraph
