// References to streams of devices and to the work on them, for code that is compiled without CUDA.
#pragma once

#include "core/device.hpp"

#include <memory>

struct CUstream_st;

namespace warpgraph {
namespace cuda {
class Stream;
}

namespace runtime {

/// Reference to a stream of a device. The handle is CUDA's cudaStream_t.
struct StreamRef {
  Device device;
  CUstream_st* handle = nullptr;
};

[[nodiscard]] StreamRef ref(const cuda::Stream& stream);

/// A point in the work on a stream: a recorded event of CUDA.
class StreamPoint {
 public:
  virtual ~StreamPoint() = default;
  /// Returns whether the work before the point is done. Throws CudaError if it has failed.
  [[nodiscard]] virtual bool is_reached() = 0;
  /// Lets later work on the stream begin after the point.
  virtual void hold(StreamRef stream) = 0;
  /// Blocks this thread until the work before the point is done or has failed.
  virtual void finish() noexcept = 0;
};

/// Returns the point after the work that is on the stream now.
[[nodiscard]] std::shared_ptr<StreamPoint> point_on(StreamRef stream);

}  // namespace runtime
}  // namespace warpgraph
