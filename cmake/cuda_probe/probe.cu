// What the package leans on: C++20, CUB, stream-ordered memory, cooperative groups.
#include <cooperative_groups.h>
#include <cub/device/device_scan.cuh>
#include <cuda_runtime_api.h>

#include <concepts>
#include <span>

__global__ void probe(std::integral auto* values) {
  values[cooperative_groups::this_grid().thread_rank()] = 0;
}

int main() {
  cudaStream_t stream = nullptr;
  void* memory = nullptr;
  std::size_t bytes = 0;
  std::span<int> none;
  cudaMallocAsync(&memory, 128, stream);
  probe<<<1, 32, 0, stream>>>(static_cast<int*>(memory));
  return cub::DeviceScan::ExclusiveSum(nullptr, bytes, none.data(), none.data(), 0, stream);
}
