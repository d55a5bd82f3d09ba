// The arrays of a graph that lie on a CUDA device and are used in place. They come to the host when
// something there reads them.
#pragma once

#include "core/containers/made_once.hpp"
#include "graph/csr.hpp"
#include "warpgraph/shared_array.hpp"

#include <atomic>
#include <cstdint>

namespace warpgraph {

/// An array of a graph on a device.
class ArrayOnDevice {
 public:
  explicit ArrayOnDevice(SharedArray array) : array_(std::move(array)) {}
  /// Refers to the same array, without its copy on the host.
  ArrayOnDevice(const ArrayOnDevice& other) : array_(other.array_) {}

  template <class T>
  [[nodiscard]] std::span<const T> items() const {
    return array_.items<T>();
  }
  [[nodiscard]] Device device() const noexcept { return array_.device; }

  /// Returns the array on the host. The first call copies it, which the client logs as a copy of
  /// `what`. Throws OutOfMemory.
  [[nodiscard]] const SharedArray& on_host(const char* what);

 private:
  [[nodiscard]] SharedArray copy_to_host(const char* what) const;

  SharedArray array_;
  MadeOnce<SharedArray> on_host_;
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
  StructureOnDevice(const CsrPattern& host, const SharedArray& offsets, const SharedArray& heads);
  [[nodiscard]] Device device() const noexcept { return heads.device(); }
};

}  // namespace warpgraph
