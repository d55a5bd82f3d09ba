#include "core/cuda/cub/scratch.cuh"
#include "primitives/relaxation/device_pairs_once.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace warpgraph::shortest_paths {
namespace {

struct IsListed {
  ArcEnds arcs;
  __host__ __device__ edge_t operator()(edge_t e) const {
    const vertex_t tail = arcs.tails[e];
    const vertex_t head = arcs.heads[e];
    const bool ascends = tail <= head;
    if (!arcs.of_part || tail == head) return ascends ? 1 : 0;
    return ascends == (((tail ^ head) & 1) == 0) ? 1 : 0;
  }
};

auto listed(const ArcEnds& arcs) {
  return thrust::make_transform_iterator(thrust::make_counting_iterator(edge_t{0}), IsListed{arcs});
}

}  // namespace

edge_t count_pairs(const ArcEnds& arcs, const cuda::Stream& stream) {
  const cuda::DeviceBuffer<edge_t> count(1, stream);
  cuda::with_scratch(stream, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(scratch, bytes, listed(arcs), count.data(), arcs.n_arcs,
                                  stream.get());
  });
  return cuda::read_back(count.data(), stream);
}

template <class T>
void write_once(const ArcEnds& arcs, const T* values, T* kept, const cuda::Stream& stream) {
  const cuda::DeviceBuffer<edge_t> count(1, stream);
  cuda::with_scratch(stream, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(scratch, bytes, values, listed(arcs), kept, count.data(),
                                      arcs.n_arcs, stream.get());
  });
}

template void write_once(const ArcEnds&, const std::uint32_t*, std::uint32_t*, const cuda::Stream&);
template void write_once(const ArcEnds&, const std::uint64_t*, std::uint64_t*, const cuda::Stream&);

}  // namespace warpgraph::shortest_paths
