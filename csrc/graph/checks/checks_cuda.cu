#include "core/atomics.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "graph/checks/device_checks.hpp"

#include <algorithm>
#include <type_traits>

namespace warpgraph {
namespace {

struct IsNoVertex {
  const vertex_t* heads;
  vertex_t n_vertices;
  __device__ bool operator()(std::int64_t i) const {
    return static_cast<std::uint32_t>(heads[i]) >= static_cast<std::uint32_t>(n_vertices);
  }
};

template <class W>
struct IsUnusual {
  const W* weights;
  __device__ bool operator()(std::int64_t i) const {
    const W weight = weights[i];
    if (std::is_integral_v<W> && weight == infinity<W>()) return true;
    return !(weight >= W{0});  // true for NaN
  }
};

struct Narrow {
  const std::int64_t* heads;
  vertex_t n_vertices;
  vertex_t* narrow;
  __device__ bool operator()(std::int64_t i) const {
    const std::int64_t head = heads[i];
    narrow[i] = static_cast<vertex_t>(head);
    return head < 0 || head >= n_vertices;
  }
};

/// Sets a flag if test(i) is true for an i below n. Every thread that sets it writes the same.
template <class Test>
__global__ void find_any(Test test, std::int64_t n, std::int32_t* found) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  bool is_found = false;
  for (std::int64_t i = cuda::global_index(); i < n; i += stride) is_found |= test(i);
  if (is_found) relaxed_store(*found, std::int32_t{1});
}

template <class Test>
bool is_any(const cuda::Stream& stream, std::size_t n_items, const Test& test) {
  if (n_items == 0) return false;
  const auto n = static_cast<std::int64_t>(n_items);
  const cuda::DeviceBuffer<std::int32_t> found(1, stream);
  cuda::fill_bytes(found.data(), 0, 1, stream);
  constexpr unsigned threads = cuda::threads_per_block;
  const std::int64_t blocks = std::min((n + threads - 1) / threads,
                                       cuda::resident_blocks(stream, find_any<Test>, threads, 0));
  cuda::launch(stream, blocks, threads, 0, find_any<Test>, test, n, found.data());
  return cuda::read_back(found.data(), stream) != 0;
}

}  // namespace

bool are_vertices_on_device(std::span<const vertex_t> heads, vertex_t n_vertices,
                            const cuda::Stream& stream) {
  return !is_any(stream, heads.size(), IsNoVertex{heads.data(), n_vertices});
}

template <class W>
bool are_ordinary_on_device(std::span<const W> weights, const cuda::Stream& stream) {
  return !is_any(stream, weights.size(), IsUnusual<W>{weights.data()});
}

bool narrow_on_device(std::span<const std::int64_t> heads, vertex_t n_vertices, vertex_t* narrow,
                      const cuda::Stream& stream) {
  return !is_any(stream, heads.size(), Narrow{heads.data(), n_vertices, narrow});
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(are_ordinary_on_device)

}  // namespace warpgraph
