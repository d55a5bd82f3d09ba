// Results that stay on a device until the host asks for them, or until their memory is needed.
#pragma once

#include "core/device.hpp"
#include "core/function_ref.hpp"
#include "core/memory/host_vector.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

namespace warpgraph {

/// The bytes of an array on a device, which are copied to the host once. Thread-safe.
class LazyArray {
 public:
  /// Copies the bytes to the host. It owns their memory on the device, which is freed with it.
  using CopyToHost = std::function<void(std::byte* to)>;

  /// Makes an array of bytes that are at `data` on a device.
  static std::shared_ptr<LazyArray> make(const void* data, std::size_t bytes, Device device,
                                         CopyToHost copy);

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] Device device() const noexcept { return device_; }
  [[nodiscard]] bool is_on_device() const noexcept { return on_device_.load(); }

  /// Returns the bytes on the host. The first call copies them, and frees the memory of the device.
  [[nodiscard]] std::byte* on_host();
  /// Calls use(data), during which the bytes stay on the device. Returns false, without a call, if
  /// they have left it.
  bool use_on_device(FunctionRef<void(const void*)> use);
  /// Moves the bytes to the host, unless another thread uses them now, or the host lacks memory.
  void evict() noexcept;

 private:
  class Turn;

  LazyArray(const void* data, std::size_t bytes, Device device, CopyToHost copy);
  void move_to_host();

  const void* const data_;
  const std::size_t bytes_;
  const Device device_;
  // Whether a thread copies or uses the bytes. Not a mutex: an eviction must be able to ask whether
  // its own thread does.
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  std::atomic<bool> on_device_{true};
  CopyToHost copy_;
  HostArray<std::byte> host_;
};

/// Returns whether a result of so many bytes may stay on a device: whether it is not so small that
/// the host has copied it sooner, and not more than a quarter of the free memory.
[[nodiscard]] bool may_stay_on(Device device, std::size_t bytes);
/// Sets the size of the smallest result that may stay on a device.
void set_smallest_lazy(std::size_t bytes) noexcept;

/// Returns the bytes of lazy arrays that are on a device.
[[nodiscard]] std::size_t lazy_bytes(Device device) noexcept;
/// Moves the lazy arrays of a device to the host.
void evict_lazy_arrays(Device device) noexcept;
/// Moves all lazy arrays to the host and waits for those that others copy. Before a fork: in the
/// child, devices cannot be used.
void finish_lazy_arrays();

}  // namespace warpgraph
