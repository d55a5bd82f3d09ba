// The priority queue of a warp: each of several warps pushes keys and pops them in order.
#include <cstddef>
#include <cstdio>
#include <vector>
#include <warpgraph/core/cuda/containers/warp_heap.cuh>

using warpgraph::cuda::HeapShape;
using warpgraph::cuda::WarpHeap;

constexpr int n_warps = 3;
constexpr int n_keys = 2000;  // of a warp: a heap of two levels below the root

__device__ float key_of(int warp, int i) { return static_cast<float>((i * 7919 + warp) % 4001); }

__global__ void sort(HeapShape shape, std::byte* global, float* sorted, int* vertices) {
  extern __shared__ __align__(16) std::byte shared[];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  WarpHeap<float> heap(shape, shared + warp * shape.shared_bytes<float>(),
                       global + warp * shape.global_bytes<float>());
  for (int first = 0; first < n_keys; first += 32) {
    const int i = first + lane;
    heap.push(i < n_keys, key_of(warp, i), i);
  }
  for (int i = 0; i < n_keys; ++i) {
    const auto least = heap.pop();
    if (lane == 0) {
      sorted[warp * n_keys + i] = least.key;
      vertices[warp * n_keys + i] = least.vertex;
    }
  }
}

int main() {
  int n_devices = 0;
  if (cudaGetDeviceCount(&n_devices) != cudaSuccess || n_devices == 0) {
    std::puts("no device");
    return 0;
  }
  // 64 nodes of 32 entries; the first few nodes and their tops are in shared memory.
  const HeapShape shape{.nodes = 64, .shared_rows = 8, .shared_slots = 32};
  std::byte* global = nullptr;
  float* sorted = nullptr;
  int* vertices = nullptr;
  cudaMalloc(&global, n_warps * shape.global_bytes<float>());
  cudaMalloc(&sorted, n_warps * n_keys * sizeof(float));
  cudaMalloc(&vertices, n_warps * n_keys * sizeof(int));
  sort<<<1, 32 * n_warps, n_warps * shape.shared_bytes<float>()>>>(shape, global, sorted, vertices);
  std::vector<float> keys(n_warps * n_keys);
  std::vector<int> places(n_warps * n_keys);
  cudaMemcpy(keys.data(), sorted, keys.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(places.data(), vertices, places.size() * sizeof(int), cudaMemcpyDeviceToHost);
  const cudaError_t failed = cudaDeviceSynchronize();
  if (failed != cudaSuccess) {
    std::puts(cudaGetErrorString(failed));
    return 1;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) std::printf("%g %d\n", keys[i], places[i]);
}
