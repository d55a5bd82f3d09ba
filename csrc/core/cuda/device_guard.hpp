// Makes a device current for a scope and restores the previous one afterwards. If it is current
// already, this takes tens of nanoseconds.
#pragma once

#include "core/cuda/check.hpp"
#include "core/device.hpp"

namespace warpgraph::cuda {

class DeviceGuard {
 public:
  explicit DeviceGuard(Device device) {
    CUDA_TRY(cudaGetDevice(&previous_));
    if (previous_ == device.index) return;
    CUDA_TRY(cudaSetDevice(device.index));
    changed_ = true;
  }
  ~DeviceGuard() {
    // The previous one may be one that this process cannot use, and never did.
    if (changed_ && cudaSetDevice(previous_) != cudaSuccess) cudaGetLastError();
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int previous_ = 0;
  bool changed_ = false;
};

}  // namespace warpgraph::cuda
