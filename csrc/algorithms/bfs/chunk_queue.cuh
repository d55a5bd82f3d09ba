// The queue of a level-synchronous search on a device: the chunks of the rows of a frontier. Blocks
// of level_threads threads append to it and visit its arcs. Not for use outside this folder.
#pragma once

#include "primitives/row_chunks.cuh"

namespace warpgraph::bfs_detail {

inline constexpr unsigned level_threads = 512;
inline constexpr int warps_per_block = level_threads / cuda::warp_lanes;
/// Arcs of a chunk of a row: few enough that a warp's 32 chunks do not outlast the level.
inline constexpr edge_t chunk_arcs = 256;
/// A warp collects this many vertices in shared memory and appends them to the queue together.
inline constexpr int warp_buffer_size = 128;

/// Chunks of the rows of all vertices. A row of more than `chunk_arcs` arcs has fewer than
/// 1 + arcs / chunk_arcs chunks.
inline std::size_t max_chunks(const CsrPattern& graph) {
  return static_cast<std::size_t>(graph.n_vertices + graph.n_arcs / chunk_arcs + 1);
}

/// Appends the chunks of reached vertices to the queue. All lanes of a warp call its functions.
class QueueAppender {
 public:
  /// `n_chunks` counts the chunks in the queue; `buffer` is the warp's part of shared memory.
  __device__ QueueAppender(RowChunk* queue, unsigned long long& n_chunks, vertex_t* buffer)
      : queue_(queue), n_chunks_(&n_chunks), buffer_(buffer) {}

  /// Appends the vertex of each lane that has one; `degree` is the number of its arcs.
  __device__ void append(bool has_vertex, vertex_t v, edge_t degree) {
    const bool is_short = has_vertex && 0 < degree && degree <= chunk_arcs;
    const unsigned short_ones = __ballot_sync(cuda::all_lanes, is_short);
    if (is_short) buffer_[n_buffered_ + __popc(short_ones & cuda::lanemask_lt())] = v;
    n_buffered_ += __popc(short_ones);
    if (n_buffered_ > warp_buffer_size - cuda::warp_lanes) flush();
    unsigned long_ones = __ballot_sync(cuda::all_lanes, has_vertex && degree > chunk_arcs);
    for (; long_ones != 0; long_ones &= long_ones - 1) {
      const int owner = cuda::first_lane(long_ones);
      append_chunks(queue_, *n_chunks_, __shfl_sync(cuda::all_lanes, v, owner),
                    chunks_of(__shfl_sync(cuda::all_lanes, degree, owner), chunk_arcs));
    }
  }

  __device__ void flush() {
    if (n_buffered_ == 0) return;
    __syncwarp();
    const auto first =
        cuda::warp_fetch_add(*n_chunks_, static_cast<unsigned long long>(n_buffered_));
    for (int i = cuda::lane(); i < n_buffered_; i += cuda::warp_lanes) {
      queue_[first + static_cast<unsigned long long>(i)] = {buffer_[i], 0};
    }
    __syncwarp();
    n_buffered_ = 0;
  }

 private:
  RowChunk* queue_;
  unsigned long long* n_chunks_;
  vertex_t* buffer_;
  int n_buffered_ = 0;
};

/// The grid visits the arcs of the n chunks of a queue; the lanes of a warp call visit(LaneArcs)
/// together. `n` is a reference so that the compiler may read it again from shared memory: a copy
/// takes two registers, which search_levels of bfs_cuda.cu would have to spill. `Overlap`: see
/// visit_chunks().
template <int Overlap = 1, class Visit>
__device__ void visit_queue(const CsrPattern& graph, const RowChunk* queue, const std::int64_t& n,
                            Visit&& visit) {
  const std::int64_t share = share_of_warp(n);
  for (std::int64_t first = cuda::global_warp() * share; first < n;
       first += cuda::n_global_warps() * share) {
    const std::int64_t i = first + cuda::lane();
    vertex_t tail = no_vertex;
    edge_t begin = 0;
    int n_arcs = 0;
    if (cuda::lane() < share && i < n) {
      const RowChunk row = queue[i];
      tail = row.vertex;
      begin = graph.begin(tail) + edge_t{row.chunk} * chunk_arcs;
      const edge_t left = graph.end(tail) - begin;
      n_arcs = static_cast<int>(left < chunk_arcs ? left : chunk_arcs);
    }
    visit_chunks<Overlap>(graph, tail, begin, n_arcs, visit);
  }
}

/// Sums of two values over the threads of a block.
struct BlockSums {
  unsigned long long parts[2][warps_per_block];

  /// Adds the sums of the threads' values to both totals. All threads of the block call it.
  __device__ void add(unsigned long long first, unsigned long long second,
                      unsigned long long& first_total, unsigned long long& second_total) {
    const auto of_first = cuda::warp_sum(first);
    const auto of_second = cuda::warp_sum(second);
    if (cuda::lane() == 0) {
      const unsigned warp = threadIdx.x / cuda::warp_lanes;
      parts[0][warp] = of_first;
      parts[1][warp] = of_second;
    }
    __syncthreads();
    if (threadIdx.x < 2) {
      unsigned long long sum = 0;
      for (const unsigned long long part : parts[threadIdx.x]) sum += part;
      if (sum != 0) atomicAdd(threadIdx.x == 0 ? &first_total : &second_total, sum);
    }
    __syncthreads();
  }
};

}  // namespace warpgraph::bfs_detail
