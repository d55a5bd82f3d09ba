// Makes a device current for a scope and restores the previous one afterwards.
#pragma once

#include "core/cuda/check.hpp"
#include "core/device.hpp"

namespace warpgraph::cuda {

class DeviceGuard {
 public:
  explicit DeviceGuard(Device device) {
    CUDA_TRY(cudaGetDevice(&previous_));
    if (previous_ != device.index) CUDA_TRY(cudaSetDevice(device.index));
  }
  ~DeviceGuard() { cudaSetDevice(previous_); }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int previous_ = 0;
};

}  // namespace warpgraph::cuda
