// The part of a kernel launch that does not depend on the kernel's parameters, compiled once.
#pragma once

#include "core/cuda/device_guard.hpp"
#include "core/cuda/stream.hpp"

#include <cstdint>

namespace warpgraph::cuda {

inline constexpr unsigned threads_per_block = 256;
inline constexpr std::int64_t largest_grid = 0x7fffffff;  // blocks in one dimension

namespace detail {

/// A launch on a stream, whose device is current as long as this exists.
class Launch {
 public:
  Launch(const Stream& stream, bool cooperative, std::int64_t blocks, unsigned threads,
         std::size_t shared, const void* kernel);
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  [[nodiscard]] const cudaLaunchConfig_t* config() const noexcept { return &config_; }
  /// Throws if the launch failed.
  static void check(cudaError_t launch);

 private:
  DeviceGuard guard_;
  cudaLaunchAttribute attribute_{};
  cudaLaunchConfig_t config_{};
};

[[nodiscard]] std::int64_t resident_blocks(const Stream& stream, const void* kernel,
                                           unsigned threads, std::size_t shared);

}  // namespace detail

[[nodiscard]] std::int64_t multiprocessors(const Stream& stream);

}  // namespace warpgraph::cuda
