// The structure of a customizable hierarchy that Python keeps with a graph, and its copies on CUDA
// devices. A copy is made on first use and lives as long as the structure.
#pragma once

#include "algorithms/hierarchy/customizable/customizable.hpp"
#include "core/device.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "algorithms/hierarchy/customizable/device_structure.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/device_copies.hpp"
#include "core/memory/memory_budget.hpp"
#endif

namespace warpgraph {

class StructureHandle {
 public:
  explicit StructureHandle(HierarchyStructure&& structure) : host_(std::move(structure)) {}
  StructureHandle(const StructureHandle&) = delete;
  StructureHandle& operator=(const StructureHandle&) = delete;

  [[nodiscard]] const HierarchyStructure& host() const noexcept { return host_; }
  /// Returns the bytes of the structure and of its copies on devices.
  [[nodiscard]] std::size_t bytes() const;
  /// Returns the copy on a device. Not in a build without CUDA.
  [[nodiscard]] const DeviceHierarchyStructure& on_device(Device device) const;

 private:
  HierarchyStructure host_;
#if defined(WARPGRAPH_HAS_CUDA)
  struct DeviceCopy {
    DeviceCopy(const HierarchyStructure& host, Device device)
        : stream(device, cuda::Lifetime::kept), structure(host, *stream) {
      (*stream).synchronize();
    }
    [[nodiscard]] std::size_t bytes() const { return structure.bytes(); }
    cuda::BorrowedStream stream;
    DeviceHierarchyStructure structure;
  };
  mutable DeviceCopies<DeviceCopy> device_copies_;
#endif
};

#if defined(WARPGRAPH_HAS_CUDA)

inline const DeviceHierarchyStructure& StructureHandle::on_device(Device device) const {
  const auto make = [&] {
    MemoryBudget(device).require("copying the structure of the hierarchy",
                                 DeviceHierarchyStructure::bytes_needed(host_),
                                 "use device=\"cpu\", or clear() graphs that are done with");
    return std::make_unique<DeviceCopy>(host_, device);
  };
  return device_copies_.with(
      device.index, make,
      [](const DeviceCopy& made) -> const DeviceHierarchyStructure& { return made.structure; });
}

inline std::size_t StructureHandle::bytes() const { return host_.bytes() + device_copies_.bytes(); }

#else

inline std::size_t StructureHandle::bytes() const { return host_.bytes(); }

#endif

}  // namespace warpgraph
