// The emulated devices, and errors.
#include "kernels/grid.hpp"
#include "runtime/runtime.hpp"

#include <cuda.h>

#include <cstring>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

namespace emulator {
namespace {

thread_local int device_in_use = 0;
/// What was in use before each context that is pushed.
thread_local std::vector<int> devices_below;
thread_local cudaError_t last_error = cudaSuccess;
/// The runtime returns codes without messages; this is the message of the latest failure.
thread_local std::string sentence_of_thread;

CUresult retain_context(CUcontext* context, CUdevice device) {
  static std::deque<CUctx_st>& made = *new std::deque<CUctx_st>;
  const std::lock_guard lock(runtime_mutex());
  if (device < 0 || device >= settings().devices) return CUDA_ERROR_INVALID_DEVICE;
  while (static_cast<int>(made.size()) <= device) made.push_back({static_cast<int>(made.size())});
  *context = &made[static_cast<std::size_t>(device)];
  return CUDA_SUCCESS;
}

CUresult push_context(CUcontext context) {
  devices_below.push_back(std::exchange(device_in_use, context->device));
  return CUDA_SUCCESS;
}

CUresult pop_context(CUcontext*) {
  if (devices_below.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  device_in_use = devices_below.back();
  devices_below.pop_back();
  return CUDA_SUCCESS;
}

}  // namespace

RuntimeMutex& runtime_mutex() {
  static RuntimeMutex& instance = *new RuntimeMutex;
  return instance;
}

cudaError_t explain(cudaError_t error, const std::string& sentence) {
  sentence_of_thread = sentence;
  return error;
}

cudaError_t set_last(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

const std::string& latest_sentence() { return sentence_of_thread; }

int current_device() { return device_in_use; }

}  // namespace emulator

using namespace emulator;

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return last_error; }

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorNotReady:
      return "cudaErrorNotReady";
    case cudaErrorPeerAccessAlreadyEnabled:
      return "cudaErrorPeerAccessAlreadyEnabled";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
    case cudaErrorCooperativeLaunchTooLarge:
      return "cudaErrorCooperativeLaunchTooLarge";
  }
  return "an unknown error";
}

const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess || error == cudaErrorNotReady ? cudaGetErrorName(error)
                                                            : latest_sentence().c_str();
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = settings().devices;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = device_in_use;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= settings().devices) {
    return set_last(explain(cudaErrorInvalidDevice, "there is no such emulated device"));
  }
  device_in_use = device;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::strcpy(properties->name, "emulated on CPU threads");
  properties->totalGlobalMem = settings().memory;
  properties->sharedMemPerBlock = usual_shared;
  properties->sharedMemPerBlockOptin = max_shared;
  properties->l2CacheSize = static_cast<int>(settings().l2_cache);
  properties->multiProcessorCount = settings().multiprocessors;
  properties->major = 9;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = 1024;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = settings().multiprocessors;
      break;
    case cudaDevAttrL2CacheSize:
      *value = static_cast<int>(settings().l2_cache);
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(max_shared);
      break;
  }
  return cudaSuccess;
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned,
                                             cudaDriverEntryPointQueryResult* result) {
  const std::string_view wanted = name;
  *function = wanted == "cuDevicePrimaryCtxRetain" ? reinterpret_cast<void*>(&retain_context)
              : wanted == "cuCtxPushCurrent"       ? reinterpret_cast<void*>(&push_context)
              : wanted == "cuCtxPopCurrent"        ? reinterpret_cast<void*>(&pop_context)
                                                   : nullptr;
  *result = *function == nullptr ? cudaDriverEntryPointSymbolNotFound : cudaDriverEntryPointSuccess;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 0;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 0;
  return cudaSuccess;
}
