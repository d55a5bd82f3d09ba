// The rows of vertices whose distances a round of Bellman-Ford has lowered. If they have few arcs,
// the next round relaxes these instead of all edges: see bellman_ford_cuda.cu.
#pragma once

#include "core/atomics.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "graph/partition/partition.hpp"
#include "primitives/chunk_queue.cuh"
#include "primitives/relaxation/relax.hpp"

namespace warpgraph::shortest_paths {

/// What a member of a team has lowered in a round, of its own vertices.
struct LoweredCounts {
  unsigned long long chunks;  // of their rows, in the queue
  unsigned long long arcs;    // of their rows
};
/// One that is added to, those of the two rounds before, of which one is cleared.
inline constexpr int n_lowered_counts = 3;

/// What a round relaxes.
enum class Relaxed { nothing, rows, edges };

/// The counts of all members, one alone in a search by one device. Round 0 lists the sources.
struct AllLowered {
  const LoweredCounts* of[most_parts];
  int n_members;
  unsigned long long few_arcs;

  [[nodiscard]] __device__ unsigned long long arcs(std::int32_t round) const {
    unsigned long long sum = 0;
    for (int i = 0; i < n_members; ++i) sum += relaxed_load(of[i][slot(round)].arcs);
    return sum;
  }
  /// Whether a round lists the rows of what it lowers. After one that has lowered many, it only
  /// counts their arcs.
  [[nodiscard]] __device__ bool are_listed(std::int32_t round) const {
    return arcs(round - 1) <= 8 * few_arcs;
  }
  [[nodiscard]] __device__ Relaxed relaxed_in(std::int32_t round) const {
    const unsigned long long n = arcs(round - 1);
    if (n == 0) return Relaxed::nothing;
    return n <= few_arcs && are_listed(round - 1) ? Relaxed::rows : Relaxed::edges;
  }
  /// Of the counts of a round; before the first one they are zero.
  [[nodiscard]] static __device__ int slot(std::int32_t round) {
    return (round + n_lowered_counts) % n_lowered_counts;
  }
};

/// A member's own vertices are begin .. end - 1.
template <class W>
struct LoweredRowsView {
  CsrView<W> rows;  // of all vertices; those of other members are empty
  vertex_t begin;
  vertex_t end;
  W* relaxed;  // the distance that a row of its own was last relaxed with
  warpgraph::RowChunk* queue;
  LoweredCounts* counts;
  AllLowered all;
};

/// Shared memory of a block of queue_threads threads that lists rows.
struct RowListerMemory {
  vertex_t buffers[queue_warps][warp_buffer_size];
  bool lists;
  bool has_ended;
};

/// Lists the rows that a round has lowered the distances of. All threads of a block call its
/// functions.
template <class W>
class RowLister {
 public:
  __device__ RowLister(const LoweredRowsView<W>& view, std::int32_t round, RowListerMemory& memory)
      : view_(view),
        memory_(memory),
        counts_(view.counts[AllLowered::slot(round)]),
        queue_(view.rows, view.queue, counts_.chunks,
               memory.buffers[threadIdx.x / cuda::warp_lanes]) {
    if (threadIdx.x == 0) {
      memory.lists = view.all.are_listed(round);
      memory.has_ended = round > 0 && view.all.arcs(round - 1) == 0;
      if (blockIdx.x == 0) view.counts[AllLowered::slot(round + 1)] = {};
    }
    __syncthreads();
  }
  [[nodiscard]] __device__ bool has_ended() const { return memory_.has_ended; }

  /// Each thread has a vertex v of the member with its distance, or v = no_vertex.
  __device__ void visit(vertex_t v, W distance) {
    W* const relaxed = view_.relaxed + (v == no_vertex ? 0 : v - view_.begin);
    const bool is_lowered = v != no_vertex && distance < *relaxed;
    if (is_lowered) *relaxed = distance;
    if (memory_.lists) {
      queue_.make_room(1);
      queue_.append(is_lowered, v);
    } else if (is_lowered) {
      arcs_ += static_cast<unsigned long long>(view_.rows.degree(v));
    }
  }
  __device__ void finish() {
    queue_.flush();
    const unsigned long long arcs = cuda::warp_sum(arcs_ + queue_.arcs());
    if (cuda::lane() == 0 && arcs != 0) atomicAdd(&counts_.arcs, arcs);
  }

 private:
  const LoweredRowsView<W>& view_;
  const RowListerMemory& memory_;
  LoweredCounts& counts_;
  QueueAppender queue_;
  unsigned long long arcs_ = 0;  // of rows that are not listed
};

/// Lists the rows of the member's vertices whose distance, distance_of(v), a round has lowered.
template <class W, class DistanceOf>
__device__ void visit_lowered(const LoweredRowsView<W>& view, std::int32_t round,
                              const DistanceOf& distance_of) {
  __shared__ RowListerMemory memory;
  RowLister<W> lister(view, round, memory);
  if (lister.has_ended()) return;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t first = view.begin + static_cast<std::int64_t>(blockIdx.x) * blockDim.x;
  for (std::int64_t at = first; at < view.end; at += stride) {
    const std::int64_t v = at + threadIdx.x;
    const bool is_own = v < view.end;
    lister.visit(is_own ? static_cast<vertex_t>(v) : no_vertex, is_own ? distance_of(v) : W{0});
  }
  lister.finish();
}

template <class W>
__global__ void __launch_bounds__(queue_threads)
    list_lowered(const __grid_constant__ LoweredRowsView<W> view, const W* distances,
                 std::int32_t round) {
  visit_lowered(view, round, [&](std::int64_t v) { return distances[v]; });
}

/// The memory of a member's LoweredRowsView.
template <class W>
class LoweredRows {
 public:
  /// `rows` are those of vertices begin .. end - 1, of a graph of n_arcs arcs.
  LoweredRows(const CsrView<W>& rows, vertex_t begin, vertex_t end, edge_t n_arcs,
              const cuda::Stream& stream)
      : relaxed_(at(end - begin), stream),
        queue_(longest_queue(end - begin, rows.n_arcs), stream),
        counts_(n_lowered_counts, stream) {
    view_ = {rows, begin, end, relaxed_.data(), queue_.data(), counts_.data(), {}};
    view_.all = {{counts_.data()}, 1, static_cast<unsigned long long>(n_arcs / share_of_few)};
    cuda::fill(relaxed_.data(), infinity<W>(), end - begin, stream);
    cuda::fill_bytes(counts_.data(), 0, n_lowered_counts, stream);
  }
  [[nodiscard]] LoweredRowsView<W>& view() { return view_; }
  [[nodiscard]] const LoweredRowsView<W>& view() const { return view_; }

  [[nodiscard]] static std::size_t bytes(vertex_t n_vertices, edge_t n_arcs) {
    return at(n_vertices) * sizeof(W) +
           longest_queue(n_vertices, n_arcs) * sizeof(warpgraph::RowChunk) +
           n_lowered_counts * sizeof(LoweredCounts);
  }

 private:
  /// A pass over all edges relaxes about eight times as many arcs a second as one over listed rows.
  static constexpr edge_t share_of_few = 8;

  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  static std::size_t longest_queue(vertex_t n_vertices, edge_t n_arcs) {
    return at(n_vertices + n_arcs / chunk_arcs + 1);
  }

  cuda::DeviceBuffer<W> relaxed_;
  cuda::DeviceBuffer<warpgraph::RowChunk> queue_;
  cuda::DeviceBuffer<LoweredCounts> counts_;
  LoweredRowsView<W> view_{};
};

}  // namespace warpgraph::shortest_paths
