// The hierarchy that Python keeps with a graph, and its copies on CUDA devices. A copy is made on
// first use and lives as long as the hierarchy.
#pragma once

#include "algorithms/hierarchy/hierarchy.hpp"
#include "core/device.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "algorithms/hierarchy/device_hierarchy.hpp"
#include "core/cuda/stream_pool.hpp"

#include <map>
#include <memory>
#include <mutex>
#endif

namespace warpgraph {

class HierarchyHandle {
 public:
  explicit HierarchyHandle(AnyHierarchy&& hierarchy) : hierarchy_(std::move(hierarchy)) {}

  /// Calls f(hierarchy) with its type of distances.
  template <class F>
  auto visit(F&& f) const {
    return std::visit(std::forward<F>(f), hierarchy_);
  }

  /// The copy of `host`, which is this hierarchy. Not in a build without CUDA.
  template <class T>
  const DeviceHierarchy<T>& on_device(const Hierarchy<T>& host, Device device);
  [[nodiscard]] std::size_t device_bytes() const;

 private:
  AnyHierarchy hierarchy_;
#if defined(WARPGRAPH_HAS_CUDA)
  struct DeviceCopy {
    explicit DeviceCopy(Device device) : stream(device) {}
    cuda::BorrowedStream stream;
    std::variant<std::monostate, DeviceHierarchy<std::int32_t>, DeviceHierarchy<std::int64_t>,
                 DeviceHierarchy<double>>
        copy;
  };
  mutable std::mutex mutex_;  // guards device_copies_: threads may share a hierarchy
  std::map<int, std::unique_ptr<DeviceCopy>> device_copies_;
#endif
};

#if defined(WARPGRAPH_HAS_CUDA)

template <class T>
const DeviceHierarchy<T>& HierarchyHandle::on_device(const Hierarchy<T>& host, Device device) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<DeviceCopy>& device_copy = device_copies_[device.index];
  if (!device_copy) {
    MemoryBudget(device).require("copying the hierarchy", host.bytes(),
                                 "use device=\"cpu\", or clear() graphs that are done with");
    // Stored only when complete: the next call must not find a failed copy.
    auto made = std::make_unique<DeviceCopy>(device);
    made->copy = DeviceHierarchy<T>(host, *made->stream);
    (*made->stream).synchronize();
    device_copy = std::move(made);
  }
  return std::get<DeviceHierarchy<T>>(device_copy->copy);
}

inline std::size_t HierarchyHandle::device_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const auto& [index, device_copy] : device_copies_) {
    if (!device_copy) continue;
    bytes += std::visit(
        []<class Copy>(const Copy& copy) -> std::size_t {
          if constexpr (std::is_same_v<Copy, std::monostate>) {
            return 0;
          } else {
            return copy.bytes();
          }
        },
        device_copy->copy);
  }
  return bytes;
}

#else

inline std::size_t HierarchyHandle::device_bytes() const { return 0; }

#endif

}  // namespace warpgraph
