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
  int index = 0;  // 0 for the host

  /// Parses "cpu", "cuda" (= "cuda:0") or "cuda:<index>". Throws std::invalid_argument for other
  /// names; "auto" is for plans.
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

/// Returns the number of usable CUDA devices; 0 in a CPU build, without a driver or a device, and
/// in the child of a fork after its parent has used CUDA.
[[nodiscard]] int cuda_device_count() noexcept;
/// Returns whether a GPU has begun to work for this process. Asks no driver.
[[nodiscard]] bool has_begun_on_gpus() noexcept;
/// Returns the reason why cuda_device_count() is 0, as a sentence; empty otherwise.
[[nodiscard]] std::string cuda_unavailable_reason();
/// Returns the version of the CUDA runtime, e.g. "13.0"; "" without CUDA.
[[nodiscard]] std::string cuda_runtime_version();
/// Returns the newest version of CUDA that the driver supports; "" without a driver.
[[nodiscard]] std::string cuda_driver_version();
/// Throws DeviceError if the device does not exist here.
void require_device(Device device);
/// Throws DeviceError for the host, and if the device does not exist.
[[nodiscard]] DeviceProperties properties(Device device);
/// Returns whether both are the host, or GPUs of one model, as far as the numbers of their
/// multiprocessors and the sizes of their caches tell.
[[nodiscard]] bool are_alike(Device a, Device b);
/// Returns the device whose memory `pointer` points to. Throws DeviceError in a CPU build.
[[nodiscard]] Device device_holding(const void* pointer);
/// Returns the bytes that can be allocated on the device now. For the host, that is what the kernel
/// reports as available, or what the limit of the control group leaves if that is less. Memory that
/// is kept for later calls is returned to the system first if it is much, and results that wait on
/// a GPU are copied to the host.
[[nodiscard]] std::size_t free_memory(Device device);
/// Returns the part of free_memory() that is known without a query of the driver: what earlier
/// calls have left in the memory pools; 0 for the host.
[[nodiscard]] std::size_t idle_memory(Device device);

}  // namespace warpgraph
