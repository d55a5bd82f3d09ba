// The hierarchy that Python keeps with a graph, the arrays of its path queries, and its copies on
// CUDA devices. A copy is made on first use and lives as long as the hierarchy.
#pragma once

#include "algorithms/hierarchy/hierarchy.hpp"
#include "algorithms/hierarchy/path/path.hpp"
#include "core/device.hpp"

#include <tuple>

#if defined(WARPGRAPH_HAS_CUDA)
#include "algorithms/hierarchy/device_hierarchy.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/device_copies.hpp"
#include "core/memory/memory_budget.hpp"

#include <optional>
#endif

namespace warpgraph {

class HierarchyHandle {
 public:
  explicit HierarchyHandle(AnyHierarchy&& hierarchy) : hierarchy_(std::move(hierarchy)) {}
  HierarchyHandle(const HierarchyHandle&) = delete;
  HierarchyHandle& operator=(const HierarchyHandle&) = delete;

  /// Calls f(hierarchy) with its type of distances.
  template <class F>
  auto visit(F&& f) const {
    return std::visit(std::forward<F>(f), hierarchy_);
  }

  /// Returns the copy on a device of `host`, which must be the hierarchy of this handle. Not
  /// defined in a build without CUDA.
  template <class T>
  const DeviceHierarchy<T>& on_device(const Hierarchy<T>& host, Device device);
  [[nodiscard]] std::size_t device_bytes() const;

  /// Returns the path queries for the hierarchy's type of distances.
  template <class T>
  PathQueries<T>& path_queries() {
    return std::get<PathQueries<T>>(path_queries_);
  }
  /// Returns the bytes of copies on devices, and of the data that path queries keep.
  [[nodiscard]] std::size_t kept_bytes() const {
    const auto sum = [](const auto&... queries) { return (queries.bytes() + ...); };
    return device_bytes() + std::apply(sum, path_queries_);
  }

 private:
  AnyHierarchy hierarchy_;
  std::tuple<PathQueries<std::int32_t>, PathQueries<std::int64_t>, PathQueries<double>>
      path_queries_;
#if defined(WARPGRAPH_HAS_CUDA)
  struct DeviceCopy {
    explicit DeviceCopy(Device device) : stream(device, cuda::Lifetime::kept) {}
    [[nodiscard]] std::size_t bytes() const {
      return std::visit([](const auto& made) { return made ? made->bytes() : 0; }, copy);
    }
    cuda::BorrowedStream stream;
    std::variant<std::optional<DeviceHierarchy<std::int32_t>>,
                 std::optional<DeviceHierarchy<std::int64_t>>,
                 std::optional<DeviceHierarchy<double>>>
        copy;
  };
  DeviceCopies<DeviceCopy> device_copies_;
#endif
};

#if defined(WARPGRAPH_HAS_CUDA)

template <class T>
const DeviceHierarchy<T>& HierarchyHandle::on_device(const Hierarchy<T>& host, Device device) {
  const auto make = [&] {
    MemoryBudget(device).require("copying the hierarchy", host.bytes(),
                                 "use device=\"cpu\", or clear() graphs that are done with");
    auto made = std::make_unique<DeviceCopy>(device);
    made->copy = std::optional(DeviceHierarchy<T>(host, *made->stream));
    (*made->stream).synchronize();
    return made;
  };
  return device_copies_.with(device.index, make,
                             [](const DeviceCopy& made) -> const DeviceHierarchy<T>& {
                               return *std::get<std::optional<DeviceHierarchy<T>>>(made.copy);
                             });
}

inline std::size_t HierarchyHandle::device_bytes() const { return device_copies_.bytes(); }

#else

inline std::size_t HierarchyHandle::device_bytes() const { return 0; }

#endif

}  // namespace warpgraph
