// Devices. The driver is loaded by the first function that needs it, not before. In a build without
// CUDA and on a machine without a driver there are 0 CUDA devices, and a sentence says why.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpgraph {

struct Device {
  enum class Kind { host, cuda };
  Kind kind = Kind::host;
  int index = 0;

  /// "cpu", "cuda" (= "cuda:0") or "cuda:<index>".
  static Device parse(std::string_view name);
  [[nodiscard]] bool is_cuda() const noexcept { return kind == Kind::cuda; }
  [[nodiscard]] std::string name() const;
  friend bool operator==(const Device&, const Device&) = default;
};

struct DeviceProperties {
  std::string name;
  std::size_t total_memory = 0;  // bytes
  std::size_t l2_cache = 0;      // bytes
  int multiprocessors = 0;
  int compute_capability = 0;  // 90 for 9.0
};

[[nodiscard]] constexpr bool built_with_cuda() noexcept {
#if defined(WARPGRAPH_HAS_CUDA)
  return true;
#else
  return false;
#endif
}

/// Number of usable CUDA devices; 0 in a CPU build, without a driver or without a device.
[[nodiscard]] int cuda_device_count() noexcept;
/// Why cuda_device_count() is 0, as a sentence; empty otherwise.
[[nodiscard]] std::string cuda_unavailable_reason();
/// e.g. "13.0"; "" without CUDA.
[[nodiscard]] std::string cuda_runtime_version();
[[nodiscard]] std::string cuda_driver_version();
/// Throws DeviceError if the device does not exist here.
void require_device(Device device);
[[nodiscard]] DeviceProperties properties(Device device);
/// Whether both are the host, or GPUs of one model, as their multiprocessors and caches tell.
[[nodiscard]] bool are_alike(Device a, Device b);
/// The device whose memory `pointer` points to. Throws DeviceError in a CPU build.
[[nodiscard]] Device device_holding(const void* pointer);
/// Bytes that can be allocated there now. Host: what the kernel reports as available, or what the
/// limit of the control group leaves if that is less.
[[nodiscard]] std::size_t free_memory(Device device);
/// The part of it that is known without a query of the driver: what earlier calls have left in the
/// memory pools. Host: 0.
[[nodiscard]] std::size_t idle_memory(Device device);

}  // namespace warpgraph
