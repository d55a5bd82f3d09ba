// Where work runs. Naming a device or asking what there is loads no driver until it must; a build
// without CUDA, and a machine without a driver, answer "none, because ..." instead of failing.
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

/// Number of usable CUDA devices; 0 without build, driver or device. Never throws.
[[nodiscard]] int cuda_device_count() noexcept;
/// Why cuda_device_count() is 0, as a sentence; empty otherwise.
[[nodiscard]] std::string cuda_unavailable_reason();
/// e.g. "13.0"; "" without CUDA.
[[nodiscard]] std::string cuda_runtime_version();
[[nodiscard]] std::string cuda_driver_version();
/// Throws DeviceError if the device does not exist here.
void require_device(Device device);
[[nodiscard]] DeviceProperties properties(Device device);
/// Where the memory at `pointer` lies. Throws DeviceError without CUDA.
[[nodiscard]] Device device_holding(const void* pointer);
/// Bytes that can be allocated there now. Host: what the kernel calls available, less by a
/// container's limit if there is one.
[[nodiscard]] std::size_t free_memory(Device device);
/// The part of it that is known without asking the driver: what earlier calls have left in the
/// allocation pool. Host: none.
[[nodiscard]] std::size_t idle_memory(Device device);

}  // namespace warpgraph
