#include "core/cuda/contexts.hpp"

#include "core/cuda/check.hpp"

#include <cuda.h>

#include <atomic>
#include <map>
#include <mutex>

namespace warpgraph::cuda {
namespace {

/// Returns a function of the driver, which the runtime has loaded. Linking with the driver would
/// require it on the machine that builds and on every machine that imports the module.
template <class Function>
Function* from_driver(const char* name) {
  constexpr unsigned since = 12000;
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
  CUDA_TRY(cudaGetDriverEntryPointByVersion(name, &found, since, cudaEnableDefault, &result));
#else
  static_cast<void>(since);
  CUDA_TRY(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result));
#endif
  if (result != cudaDriverEntryPointSuccess) throw CudaError(concat("the driver has no ", name));
  return reinterpret_cast<Function*>(found);
}

struct Driver {
  CUresult (*retain)(CUcontext*, CUdevice) =
      from_driver<CUresult(CUcontext*, CUdevice)>("cuDevicePrimaryCtxRetain");
  CUresult (*push)(CUcontext) = from_driver<CUresult(CUcontext)>("cuCtxPushCurrent");
  CUresult (*pop)(CUcontext*) = from_driver<CUresult(CUcontext*)>("cuCtxPopCurrent");
};

const Driver& driver() {
  static const Driver functions;
  return functions;
}

void check(CUresult status, const char* call, Device device) {
  if (status == CUDA_SUCCESS) return;
  CUDA_TRY(cudaSetDevice(device.index));  // fails likewise, but with a text
  throw CudaError(concat(call, " failed for ", device.name(), ": error ", static_cast<int>(status),
                         " of the driver"));
}

CUcontext context_of(Device device) {
  // Never destroyed: at exit the driver may be gone before static destructors run.
  static std::mutex& mutex = *new std::mutex;
  static std::map<int, CUcontext>& retained = *new std::map<int, CUcontext>;
  const std::lock_guard lock(mutex);
  const auto known = retained.find(device.index);
  if (known != retained.end()) return known->second;
  CUcontext context = nullptr;
  check(driver().retain(&context, device.index), "cuDevicePrimaryCtxRetain", device);
  return retained.emplace(device.index, context).first->second;
}

constexpr int none = -1;
std::atomic<int> last_pushed{none};
std::atomic<bool> has_any{false};

}  // namespace

void push_context(Device device) {
  check(driver().push(context_of(device)), "cuCtxPushCurrent", device);
  last_pushed.store(device.index, std::memory_order_relaxed);
}

void pop_context() noexcept {
  CUcontext context = nullptr;
  driver().pop(&context);
}

void note_context() noexcept { has_any.store(true, std::memory_order_relaxed); }
bool has_context() noexcept {
  return has_any.load(std::memory_order_relaxed) ||
         last_pushed.load(std::memory_order_relaxed) != none;
}

Device device_with_context() {
  int index = last_pushed.load(std::memory_order_relaxed);
  if (index == none) CUDA_TRY(cudaGetDevice(&index));
  return {Device::Kind::cuda, index};
}

}  // namespace warpgraph::cuda
