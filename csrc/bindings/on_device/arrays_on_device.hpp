// The arrays of a graph that lie on a CUDA device and are used in place. They come to the host when
// something there reads them.
#pragma once

#include "bindings/call.hpp"
#include "bindings/core/device_array.hpp"
#include "core/containers/made_once.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/csr.hpp"

#include <atomic>
#include <cstdint>

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph {

/// An array of a graph on a device, whose memory it keeps.
class ArrayOnDevice {
 public:
  explicit ArrayOnDevice(const DeviceArray& array);
  /// Refers to the same array, without its copy on the host.
  ArrayOnDevice(const ArrayOnDevice& other)
      : memory_(other.memory_), data_(other.data_), bytes_(other.bytes_), device_(other.device_) {}

  template <class T>
  [[nodiscard]] std::span<const T> items() const noexcept {
    return {static_cast<const T*>(data_), bytes_ / sizeof(T)};
  }
  [[nodiscard]] Device device() const noexcept { return device_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Returns the bytes on the host. The first call copies them, which is logged as a copy of
  /// `what`. Throws OutOfMemory. Callers hold Python's global lock, except within a call.
  [[nodiscard]] const void* on_host(const char* what);
  /// Returns the items on the host as a NumPy array.
  [[nodiscard]] py::array to_numpy(const char* what, const py::dtype& dtype);

 private:
  struct OnHost {
    std::shared_ptr<HostArray<std::byte>> bytes;
  };
  [[nodiscard]] OnHost copy_to_host(const char* what) const;

  std::shared_ptr<void> memory_;
  const void* data_;
  std::size_t bytes_;
  Device device_;
  MadeOnce<OnHost> on_host_;
};

/// The devices of which it is known whether they can read an array of another one. Thread-safe.
class KnownReaders {
 public:
  KnownReaders() = default;
  KnownReaders(const KnownReaders& other) noexcept
      : known_(other.known_.load()), readers_(other.readers_.load()) {}

  /// Returns whether a device is a reader, which can_read() finds the first time.
  template <class CanRead>
  bool has(Device device, CanRead&& can_read) {
    if (device.index >= n_bits) return can_read();
    const std::uint64_t bit = std::uint64_t{1} << device.index;
    if ((known_.load(std::memory_order_acquire) & bit) == 0) {
      if (can_read()) readers_.fetch_or(bit, std::memory_order_relaxed);
      known_.fetch_or(bit, std::memory_order_release);
    }
    return (readers_.load(std::memory_order_relaxed) & bit) != 0;
  }

 private:
  static constexpr int n_bits = 64;
  std::atomic<std::uint64_t> known_{0};
  std::atomic<std::uint64_t> readers_{0};
};

/// The structure of a graph on a device.
struct StructureOnDevice {
  ArrayOnDevice offsets;
  ArrayOnDevice heads;
  CsrPattern pattern;  // in the memory of the device
  KnownReaders readers;

  /// Takes offsets of the type that those of `host` have, and heads of int32.
  StructureOnDevice(const CsrPattern& host, const DeviceArray& indptr, const DeviceArray& indices);
  [[nodiscard]] Device device() const noexcept { return heads.device(); }
};

#if defined(WARPGRAPH_HAS_CUDA)
/// Returns an array of n items that fill(to, stream) writes.
template <class T, class Fill>
Owned<DeviceArray> new_array_on(Device device, std::size_t n, DeviceArray::Extents shape,
                                py::dtype dtype, Fill&& fill) {
  MemoryBudget(device).require("copying the graph", n * sizeof(T),
                               "pass copy=False, or clear() graphs that are no longer needed");
  const cuda::BorrowedStream stream(device, cuda::Lifetime::kept);
  cuda::DeviceBuffer<T> made(n, *stream);
  run_released([&] {
    fill(made.data(), *stream);
    (*stream).synchronize();
  });
  T* const data = made.data();
  return hand_over(std::make_unique<DeviceArray>(share(std::move(made), device), data,
                                                 std::move(shape), std::move(dtype), device));
}
#endif

}  // namespace warpgraph
