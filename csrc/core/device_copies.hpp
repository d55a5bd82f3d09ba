// Copies of an object on CUDA devices: one per device, made on first use and kept.
#pragma once

#include "core/device.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

namespace warpgraph {

/// `Copy` has bytes(). Thread-safe.
template <class Copy>
class DeviceCopies {
 public:
  /// Returns use(copy) for the copy on a device. make() returns it in a std::unique_ptr the first
  /// time; if make() throws, no copy is kept. Other threads wait for both.
  template <class Make, class Use>
  decltype(auto) with(Device device, Make&& make, Use&& use) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Copy>& copy = copies_[device.index];
    if (!copy) copy = make();
    return use(*copy);
  }

  /// Bytes of all copies.
  [[nodiscard]] std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = 0;
    for (const auto& [index, copy] : copies_) {
      if (copy) bytes += copy->bytes();
    }
    return bytes;
  }

 private:
  mutable std::mutex mutex_;
  std::map<int, std::unique_ptr<Copy>> copies_;
};

}  // namespace warpgraph
