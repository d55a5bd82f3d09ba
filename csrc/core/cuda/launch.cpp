#include "core/cuda/launch.hpp"

namespace warpgraph::cuda {
namespace {

/// Bytes of dynamic shared memory per block beyond which a kernel must opt in.
constexpr std::size_t default_shared_limit = 48 << 10;

void opt_in_shared(const void* kernel, std::size_t shared) {
  if (shared <= default_shared_limit) return;
  CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(shared)));
}

}  // namespace

namespace detail {

Launch::Launch(const Stream& stream, bool cooperative, std::int64_t blocks, unsigned threads,
               std::size_t shared, const void* kernel)
    : guard_(stream.device()) {
  EXPECTS(blocks <= largest_grid, "a launch of ", blocks, " blocks is beyond the grid limit");
  opt_in_shared(kernel, shared);
  attribute_.id = cudaLaunchAttributeCooperative;
  attribute_.val.cooperative = 1;
  config_.gridDim = dim3(static_cast<unsigned>(blocks));
  config_.blockDim = dim3(threads);
  config_.dynamicSmemBytes = shared;
  config_.stream = stream.get();
  config_.attrs = &attribute_;
  config_.numAttrs = cooperative ? 1 : 0;
}

void Launch::check(cudaError_t launch) { CUDA_TRY(launch); }

std::int64_t resident_blocks(const Stream& stream, const void* kernel, unsigned threads,
                             std::size_t shared) {
  const DeviceGuard guard(stream.device());
  opt_in_shared(kernel, shared);
  int per_multiprocessor = 0;
  CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel,
                                                         static_cast<int>(threads), shared));
  return per_multiprocessor * multiprocessors(stream);
}

}  // namespace detail

std::int64_t multiprocessors(const Stream& stream) {
  int count = 0;
  CUDA_TRY(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, stream.device().index));
  return count;
}

}  // namespace warpgraph::cuda
