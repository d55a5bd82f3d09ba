// CUDA status codes become exceptions that name the call and the place.
#pragma once

#include "core/error.hpp"

#include <cuda_runtime_api.h>

#include <string_view>

namespace warpgraph::cuda {

/// Returns the name of a source file without its folders, which are those of the build machine.
constexpr std::string_view file_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

[[noreturn]] inline void throw_error(cudaError_t status, const char* call, const char* file,
                                     int line) {
  cudaGetLastError();  // clear it: an error that was reported must not surface again elsewhere
  const std::string text = concat(call, " failed at ", file_name(file), ':', line, ": ",
                                  cudaGetErrorName(status), " (", cudaGetErrorString(status), ")");
  if (status == cudaErrorMemoryAllocation) throw OutOfMemory(text);
  throw CudaError(text);
}

}  // namespace warpgraph::cuda

#define CUDA_TRY(call)                                                          \
  do {                                                                          \
    const cudaError_t cuda_try_status = (call);                                 \
    if (cuda_try_status != cudaSuccess) {                                       \
      warpgraph::cuda::throw_error(cuda_try_status, #call, __FILE__, __LINE__); \
    }                                                                           \
  } while (false)
