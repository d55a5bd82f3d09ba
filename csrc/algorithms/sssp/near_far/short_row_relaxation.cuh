// Relaxation of a block's queue when all its vertices have short rows, for near_far_cuda.cu. On
// road networks and meshes the time of a search is that of thousands of consecutive hops, and the
// time of a hop is the latency of one thread. So a thread relaxes one or two arcs of a vertex and
// itself pushes the heads that it lowers. Its chain of dependent operations is: read the queue,
// read the arc, atomic minimum together with the bounds of the head's row, append to the queue.
#pragma once

#include "algorithms/sssp/near_far/near_far_state.cuh"

namespace warpgraph::shortest_paths {

/// Threads for each vertex: the degree of most vertices of a mesh.
inline constexpr unsigned threads_per_vertex = 4;

template <class W>
class ShortRowRelaxation {
 public:
  __device__ ShortRowRelaxation(const NearFarView<W>& view, BlockMemory<W>& block)
      : view_(view), queue_(block.queue), lists_(block.lists) {}

  /// Puts a vertex from the list of the grid into the queue, for hop 0.
  __device__ void enqueue_listed(vertex_t vertex, W distance) {
    queue_.push(0, lists_, {vertex, distance, view_.graph.begin(vertex), view_.graph.end(vertex)});
  }

  /// Relaxes the `n` vertices of a hop, all of which have short rows. Heads that it lowers to at
  /// most the threshold go to the next hop. The whole block calls this.
  __device__ void relax(int hop, unsigned n) {
    const int side = hop % 2;
    const unsigned first = threadIdx.x % threads_per_vertex;
    for (unsigned i = threadIdx.x / threads_per_vertex; i < n;
         i += blockDim.x / threads_per_vertex) {
      const W distance = queue_.distances[side][i];
      const W current = relaxed_load(view_.distances[queue_.vertices[side][i]]);
      const edge_t end = queue_.ends[side][i];
      for (edge_t e = queue_.begins[side][i] + first; e < end; e += threads_per_vertex) {
        const vertex_t head = view_.graph.heads[e];
        const W through = extend_non_negative(distance, weight_of(view_.graph, e));
        // Otherwise the vertex was lowered since, and its new distance is queued.
        if (current == distance && through <= view_.limit) lower_head(hop + 1, head, through);
      }
    }
  }

 private:
  /// Lowers a head. Does not compare with its distance first: that would be one more memory access.
  __device__ void lower_head(int hop, vertex_t head, W through) {
    const edge_t begin = view_.graph.begin(head);
    const edge_t end = view_.graph.end(head);
    if (!lower_non_negative(view_.distances[head], through)) return;
    if (through <= lists_.threshold) {
      queue_.push(hop, lists_, {head, through, begin, end});
    } else if (lists_.far_count != nullptr) {
      queue_.store_far(lists_, head, through);
    }
  }

  const NearFarView<W>& view_;
  BlockQueue<W>& queue_;
  const StepLists<W>& lists_;
};

}  // namespace warpgraph::shortest_paths
