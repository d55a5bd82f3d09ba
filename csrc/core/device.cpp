#include "core/device.hpp"

#include "core/error.hpp"
#include "core/memory/kept_memory.hpp"
#include "core/memory/lazy_array.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>

#if defined(__APPLE__)
#include <mach/mach.h>
#endif
#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/check.hpp"
#include "core/cuda/device_guard.hpp"
#include "core/cuda/memory/memory_pools.hpp"

#include <cuda_runtime_api.h>

#include <atomic>
#include <unistd.h>
#endif

namespace warpgraph {
namespace {

#if defined(__APPLE__)

/// Returns the bytes of pages that are free, whose contents are on disk, or may be dropped; 0 if
/// unknown.
std::size_t available_by_kernel() {
  vm_statistics64_data_t pages{};
  mach_msg_type_number_t n_words = HOST_VM_INFO64_COUNT;
  auto* const words = reinterpret_cast<host_info64_t>(&pages);
  if (host_statistics64(mach_host_self(), HOST_VM_INFO64, words, &n_words) != KERN_SUCCESS) {
    return 0;
  }
  const std::size_t n_pages = pages.free_count + pages.inactive_count + pages.purgeable_count;
  return n_pages * static_cast<std::size_t>(vm_page_size);
}

#else

/// Returns "MemAvailable:" of /proc/meminfo, in bytes; 0 if it is missing.
std::size_t available_by_kernel() {
  std::ifstream file("/proc/meminfo");
  for (std::string key; file >> key;) {
    std::size_t kilobytes = 0;
    if (key == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

#endif

/// Returns the bytes that the control group still allows; no limit if the file says "max" or does
/// not exist.
std::size_t available_by_cgroup() {
  std::ifstream limit_file("/sys/fs/cgroup/memory.max");
  std::ifstream used_file("/sys/fs/cgroup/memory.current");
  std::size_t limit = 0;
  std::size_t used = 0;
  if (!(limit_file >> limit) || !(used_file >> used))
    return std::numeric_limits<std::size_t>::max();
  return limit > used ? limit - used : 0;
}

std::size_t available_on_host() {
  const std::size_t kernel = available_by_kernel();
  return std::min(kernel != 0 ? kernel : std::numeric_limits<std::size_t>::max(),
                  available_by_cgroup());
}

std::size_t free_host_memory() {
  const std::size_t available = available_on_host();
  // The memory of freed arrays is available, too. If it is much, it is returned to the system
  // first.
  if (kept_host_memory() <= available / 8) return available;
  release_kept_host_memory();
  return available_on_host();
}

#if defined(WARPGRAPH_HAS_CUDA)
/// Returns whether a parent of this process has called the driver. CUDA does not work after a fork:
/// calls in the child fail without a reason.
bool is_forked_after_cuda_call() noexcept {
  static std::atomic<pid_t> first_caller{0};
  const pid_t self = getpid();
  pid_t first = 0;
  return !first_caller.compare_exchange_strong(first, self) && first != self;
}

std::size_t available_on(Device device) {
  const cuda::DeviceGuard guard(device);
  std::size_t free = 0;
  std::size_t total = 0;
  CUDA_TRY(cudaMemGetInfo(&free, &total));
  return free + cuda::idle_in_pools(device);
}

std::string version_text(int version) {
  return version == 0 ? "" : concat(version / 1000, '.', version % 1000 / 10);
}
#endif

}  // namespace

Device Device::parse(std::string_view name) {
  if (name == "cpu") return {Kind::host, 0};
  if (name == "cuda") return {Kind::cuda, 0};
  constexpr std::string_view prefix = "cuda:";
  if (name.substr(0, prefix.size()) == prefix) {
    int index = -1;
    const char* end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data() + prefix.size(), end, index);
    const bool is_number =
        parsed.ec == std::errc{} && parsed.ptr == end && name[prefix.size()] != '-';
    if (is_number) return {Kind::cuda, index};
  }
  throw std::invalid_argument(
      concat("device must be 'cpu', 'cuda' or 'cuda:<number>', got '", name, "'"));
}

std::string Device::name() const { return is_cuda() ? concat("cuda:", index) : std::string("cpu"); }

namespace {

/// Throws DeviceError for the host, and for a device that does not exist.
void require_cuda(Device device) {
  if (!device.is_cuda()) throw DeviceError("the CPU has no CUDA properties");
  require_device(device);
}

}  // namespace

void require_device(Device device) {
  if (!device.is_cuda()) return;
  const int count = cuda_device_count();
  if (count == 0) {
    throw DeviceError(concat("device '", device.name(), "' cannot be used: ",
                             cuda_unavailable_reason(), "; use device=\"cpu\" or device=\"auto\""));
  }
  if (device.index >= count) {
    throw DeviceError(concat("device '", device.name(), "' does not exist: this machine has ",
                             count, " CUDA device(s), numbered from 0"));
  }
}

#if defined(WARPGRAPH_HAS_CUDA)

bool has_begun_on_gpus() noexcept { return cuda::has_context(); }

int cuda_device_count() noexcept {
  int count = 0;
  if (is_forked_after_cuda_call()) return 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();  // the next call must not report this error
    return 0;
  }
  return count;
}

std::string cuda_unavailable_reason() {
  int count = 0;
  if (is_forked_after_cuda_call()) {
    return "this process was forked from one that had looked for CUDA devices, and CUDA does not "
           "work after a fork; start it with multiprocessing.get_context(\"spawn\")";
  }
  const cudaError_t status = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (status == cudaSuccess && count > 0) return "";
  if (status == cudaSuccess) return "no CUDA device was found";
  int driver = 0;
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) {
    return "no NVIDIA driver was found";
  }
  return concat("no CUDA device was found (", cudaGetErrorString(status), ")");
}

std::string cuda_runtime_version() {
  int version = 0;
  cudaRuntimeGetVersion(&version);
  return version_text(version);
}

std::string cuda_driver_version() {
  int version = 0;
  if (cudaDriverGetVersion(&version) != cudaSuccess) cudaGetLastError();
  return version_text(version);
}

DeviceProperties properties(Device device) {
  require_cuda(device);
  cudaDeviceProp found{};
  CUDA_TRY(cudaGetDeviceProperties(&found, device.index));
  return {found.name, found.totalGlobalMem, static_cast<std::size_t>(found.l2CacheSize),
          found.multiProcessorCount, found.major * 10 + found.minor};
}

bool are_alike(Device a, Device b) {
  if (a == b) return true;
  if (!a.is_cuda() || !b.is_cuda()) return false;
  const auto differ = [&](cudaDeviceAttr which) {
    int of_a = 0;
    int of_b = 0;
    CUDA_TRY(cudaDeviceGetAttribute(&of_a, which, a.index));
    CUDA_TRY(cudaDeviceGetAttribute(&of_b, which, b.index));
    return of_a != of_b;
  };
  return !differ(cudaDevAttrMultiProcessorCount) && !differ(cudaDevAttrL2CacheSize);
}

Device device_holding(const void* pointer) {
  cudaPointerAttributes found{};
  CUDA_TRY(cudaPointerGetAttributes(&found, pointer));
  const bool on_host = found.type == cudaMemoryTypeUnregistered || found.type == cudaMemoryTypeHost;
  return on_host ? Device{} : Device{Device::Kind::cuda, found.device};
}

std::size_t free_memory(Device device) {
  if (!device.is_cuda()) return free_host_memory();
  require_device(device);
  const std::size_t available = available_on(device);
  // Results that the host has not asked for give way. If they are small, they stay, since the
  // device has other memory.
  if (lazy_bytes(device) <= available / 8) return available;
  evict_lazy_arrays(device);
  return available_on(device);
}

std::size_t idle_memory(Device device) {
  return device.is_cuda() ? cuda::idle_in_pools(device) : 0;
}

#else

int cuda_device_count() noexcept { return 0; }
bool has_begun_on_gpus() noexcept { return false; }
std::string cuda_unavailable_reason() { return "warpgraph was built without CUDA"; }
std::string cuda_runtime_version() { return ""; }
std::string cuda_driver_version() { return ""; }

DeviceProperties properties(Device device) {
  require_cuda(device);
  return {};
}

bool are_alike(Device a, Device b) { return a == b; }

Device device_holding(const void*) { throw DeviceError(cuda_unavailable_reason()); }

std::size_t free_memory(Device device) {
  require_device(device);
  return free_host_memory();
}

std::size_t idle_memory(Device) { return 0; }

#endif

}  // namespace warpgraph
