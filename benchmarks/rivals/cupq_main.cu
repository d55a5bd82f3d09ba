// CUPQ's searches of one graph from many origins, as a rival: reads the graph and the origins from
// files, searches several times, and prints the time of each search, from the graph on the GPU to
// the distances there, and the sum of all finite distances. README.md says how to compile it.
#include "cupq.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <vector>

using Value = float;
using Index = unsigned;
using Distances = cupq::Matrix<Value, cupq::Backend::Cuda>;
using Parents = cupq::Matrix<Index, cupq::Backend::Cuda>;

constexpr int n_searches = 4;

namespace {

template <class T>
std::vector<T> read(std::ifstream& file, std::size_t n) {
  std::vector<T> values(n);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(n * sizeof(T)));
  return values;
}

template <class T, class From>
cupq::Vector<T, cupq::Backend::Cuda> to_device(
    const std::vector<From>& values, const cupq::BackendSpecific<cupq::Backend::Cuda>& gpu) {
  cupq::Vector<T, cupq::Backend::Cuda> copied(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) copied[i] = static_cast<T>(values[i]);
  copied.copyToDevice(gpu);
  copied.setOnDevice();
  return copied;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s GRAPH.egr ORIGINS\n", argv[0]);
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary), listed(argv[2]);
  const auto sizes = read<int>(file, 2);
  const std::size_t n = sizes[0], n_arcs = sizes[1];
  const auto offsets = read<int>(file, n + 1), heads = read<int>(file, n_arcs);
  const auto weights = read<int>(file, n_arcs);
  std::vector<Index> origins;
  for (Index origin; listed >> origin;) origins.push_back(origin);
  if (!file || origins.empty()) {
    std::fprintf(stderr, "%s or %s could not be read\n", argv[1], argv[2]);
    return 1;
  }

  cupq::BackendSpecific<cupq::Backend::Cuda> gpu;
  gpu.init();
  *gpu.mErr = cudaSuccess;
  // Its Graph takes the size of the offsets for the number of vertices: one more does no harm.
  cupq::Graph<Value, Index, cupq::Backend::Cuda> graph(
      to_device<Index>(offsets, gpu), to_device<Value>(weights, gpu), to_device<Index>(heads, gpu));
  auto sources = to_device<Index>(origins, gpu);
  cupq::DevicePair<Distances, Parents> out;
  out.first.resize(origins.size(), n);
  for (int search = 0; search < n_searches; ++search) {
    out.first.setOnHost();
    std::fill(out.first.begin(), out.first.end(), std::numeric_limits<Value>::max());
    out.first.copyToDevice(gpu);
    out.first.setOnDevice();
    cudaDeviceSynchronize();
    const auto start = std::chrono::steady_clock::now();
    cupq::computeDijkstra(out, graph, sources, Index(-1), Index(-1), gpu);
    gpu.fin();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (cudaGetLastError() != cudaSuccess || *gpu.mErr != cudaSuccess) return 1;
    std::printf("Seconds: %.9f\n", took.count());
  }
  out.first.copyToHost();
  cudaDeviceSynchronize();
  out.first.setOnHost();
  double sum = 0;
  for (const Value distance : out.first.mVec) {
    if (distance != std::numeric_limits<Value>::max()) sum += distance;
  }
  std::printf("Sum: %.0f\n", sum);
  return 0;
}
