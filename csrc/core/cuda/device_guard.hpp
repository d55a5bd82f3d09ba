// Makes a device current for a scope. If it is current already, this takes tens of nanoseconds.
#pragma once

#include "core/cuda/check.hpp"
#include "core/cuda/contexts.hpp"
#include "core/device.hpp"

#include <new>

namespace warpgraph::cuda {

class DeviceGuard {
 public:
  explicit DeviceGuard(Device device) {
    int current = 0;
    CUDA_TRY(cudaGetDevice(&current));
    if (current == device.index) return;
    push_context(device);
    pushed_ = true;
  }
  /// Constructor for destructors: throws nothing if the device cannot be made current, since the
  /// calls in the scope fail then, too.
  DeviceGuard(Device device, std::nothrow_t) noexcept {
    int current = 0;
    if (cudaGetDevice(&current) != cudaSuccess || current == device.index) return;
    try {
      push_context(device);
      pushed_ = true;
    } catch (...) {
    }
  }
  ~DeviceGuard() {
    if (pushed_) pop_context();
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  bool pushed_ = false;
};

}  // namespace warpgraph::cuda
