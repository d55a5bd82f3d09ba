// The queue of a search in rounds on a device: the chunks of the rows of a frontier. Blocks of
// queue_threads threads append to it and visit its arcs.
#pragma once

#include "primitives/row_chunks.cuh"

namespace warpgraph {

inline constexpr unsigned queue_threads = 512;
inline constexpr int queue_warps = queue_threads / cuda::warp_lanes;
/// Number of arcs of a chunk of a row: few enough that a warp's 32 chunks do not outlast the level.
inline constexpr edge_t chunk_arcs = 256;
/// Upper bound on the vertices that a warp collects in shared memory and appends to the queue
/// together.
inline constexpr int warp_buffer_size = 192;

/// Returns an upper bound on the chunks of the rows of all vertices. A row of more than
/// `chunk_arcs` arcs has fewer than 1 + arcs / chunk_arcs chunks.
inline std::size_t max_chunks(const CsrPattern& graph) {
  return static_cast<std::size_t>(graph.n_vertices + graph.n_arcs / chunk_arcs + 1);
}

/// Vertices that a warp collects in shared memory. All its lanes call the functions.
class WarpBuffer {
 public:
  /// Uses `buffer`, which has room for warp_buffer_size vertices.
  __device__ explicit WarpBuffer(vertex_t* buffer) : buffer_(buffer) {}

  /// Appends the vertex of each lane that has one.
  __device__ void append(bool has_vertex, vertex_t v) {
    const unsigned vertices = __ballot_sync(cuda::all_lanes, has_vertex);
    if (has_vertex) buffer_[n_buffered_ + __popc(vertices & cuda::lanemask_lt())] = v;
    n_buffered_ += __popc(vertices);
  }

 protected:
  /// Returns whether there is room for `n` times append().
  [[nodiscard]] __device__ bool has_room(int n) const {
    return n_buffered_ + n * cuda::warp_lanes <= warp_buffer_size;
  }

  vertex_t* buffer_;
  int n_buffered_ = 0;
};

/// Appender of the chunks of reached vertices to the queue. All lanes of a warp call its functions.
class QueueAppender : public WarpBuffer {
 public:
  /// Makes an appender. `n_chunks` counts the chunks in the queue; `buffer` is the warp's part of
  /// shared memory.
  __device__ QueueAppender(const CsrPattern& graph, RowChunk* queue, unsigned long long& n_chunks,
                           vertex_t* buffer)
      : WarpBuffer(buffer), graph_(graph), queue_(queue), n_chunks_(&n_chunks) {}

  /// Makes room for `n` times append().
  __device__ void make_room(int n) {
    if (!has_room(n)) flush();
  }

  /// Reads the degrees of buffered vertices together, and appends their chunks.
  __device__ void flush() {
    if (n_buffered_ == 0) return;
    __syncwarp();
    constexpr int vertices_per_lane = warp_buffer_size / cuda::warp_lanes;
    vertex_t vertices[vertices_per_lane];
    edge_t degrees[vertices_per_lane];
#pragma unroll
    for (int i = 0; i < vertices_per_lane; ++i) {
      const int place = i * cuda::warp_lanes + cuda::lane();
      vertices[i] = place < n_buffered_ ? buffer_[place] : no_vertex;
    }
#pragma unroll
    for (int i = 0; i < vertices_per_lane; ++i) {
      degrees[i] = vertices[i] == no_vertex ? 0 : graph_.degree(vertices[i]);
    }
    int n_own = 0;
#pragma unroll
    for (const edge_t degree : degrees) {
      arcs_ += static_cast<unsigned long long>(degree);
      n_own += static_cast<int>(chunks_of(degree, chunk_arcs));
    }
    const int before = cuda::warp_exclusive_sum(n_own);
    const int total = __shfl_sync(cuda::all_lanes, before + n_own, cuda::warp_lanes - 1);
    RowChunk* to =
        queue_ + cuda::warp_fetch_add(*n_chunks_, static_cast<unsigned long long>(total));
    to += before;
#pragma unroll
    for (int i = 0; i < vertices_per_lane; ++i) {
      const auto n = static_cast<int>(chunks_of(degrees[i], chunk_arcs));
      if (n == 1) *to = {vertices[i], 0};
      write_long_row(vertices[i], n, to);
      to += n;
    }
    __syncwarp();
    n_buffered_ = 0;
  }

  /// Returns the number of arcs of the vertices that this lane has appended.
  [[nodiscard]] __device__ unsigned long long arcs() const { return arcs_; }

 private:
  /// Writes the n chunks of each lane's vertex v to its `to` if they are several, by all lanes.
  __device__ static void write_long_row(vertex_t v, int n, RowChunk* to) {
    unsigned rows = __ballot_sync(cuda::all_lanes, n > 1);
    for (; rows != 0; rows &= rows - 1) {
      const int owner = cuda::first_lane(rows);
      const vertex_t row = __shfl_sync(cuda::all_lanes, v, owner);
      const int n_chunks = __shfl_sync(cuda::all_lanes, n, owner);
      auto* const chunks = reinterpret_cast<RowChunk*>(
          __shfl_sync(cuda::all_lanes, reinterpret_cast<unsigned long long>(to), owner));
      for (int i = cuda::lane(); i < n_chunks; i += cuda::warp_lanes) {
        chunks[i] = {row, static_cast<std::uint32_t>(i)};
      }
    }
  }

  const CsrPattern& graph_;
  RowChunk* queue_;
  unsigned long long* n_chunks_;
  unsigned long long arcs_ = 0;
};

/// Visits the arcs of the n chunks of a queue, by the whole grid; for visit() see visit_chunks().
/// `n` is a reference so that the compiler may read it again from shared memory: a copy takes two
/// registers, which search_levels of bfs_cuda.cu would have to spill.
template <int Overlap, class Visit>
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
  unsigned long long parts[2][queue_warps];

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

}  // namespace warpgraph
