// Relaxing what a block has queued where all vertices have few arcs, for near_far_cuda.cu: on roads
// and meshes a search is as long as its hops are, of which there are thousands, one after the
// other, and a hop as long as the way of one thread through it. So a thread has one arc of a vertex
// or two, and what it lowers it pushes by itself: the whole way is a look at the queue, the arc,
// the atomic minimum and beside it the row of the head, and a place in the queue.
#pragma once

#include "algorithms/sssp/near_far/near_far_lists.cuh"

namespace warpgraph::shortest_paths {

/// As many as most vertices of a mesh have arcs.
inline constexpr unsigned threads_a_vertex = 4;

template <class W>
class HopRelaxation {
 public:
  __device__ HopRelaxation(const NearFarView<W>& view, BlockMemory<W>& block)
      : view_(view), queue_(block.queue), lists_(block.lists) {}

  /// Puts a vertex from a list into the queue, as one of hop 0.
  __device__ void put_first(vertex_t vertex, W distance) {
    queue_.push(0, lists_, {vertex, distance, view_.graph.begin(vertex), view_.graph.end(vertex)});
  }

  /// Relaxes the `n` vertices of a hop, all of few arcs. What is nearer than the threshold then
  /// goes to the next hop. To be called by the whole block.
  __device__ void relax(int hop, unsigned n) {
    const int side = hop % 2;
    const unsigned first = threadIdx.x % threads_a_vertex;
    for (unsigned i = threadIdx.x / threads_a_vertex; i < n; i += blockDim.x / threads_a_vertex) {
      const W distance = queue_.distances[side][i];
      const W now = relaxed_load(view_.distances[queue_.vertices[side][i]]);
      const edge_t end = queue_.ends[side][i];
      for (edge_t e = queue_.begins[side][i] + first; e < end; e += threads_a_vertex) {
        const vertex_t head = view_.graph.heads[e];
        const W through = extend_forward(distance, weight_of(view_.graph, e));
        // Else it was lowered since, and is queued elsewhere.
        if (now == distance && through <= view_.limit) lower_head(hop + 1, head, through);
      }
    }
  }

 private:
  /// Without having looked first whether it will be lowered: that would be one more trip to memory.
  __device__ void lower_head(int hop, vertex_t head, W through) {
    const edge_t begin = view_.graph.begin(head);
    const edge_t end = view_.graph.end(head);
    if (!lower_non_negative(view_.distances[head], through)) return;
    if (through <= lists_.threshold) {
      queue_.push(hop, lists_, {head, through, begin, end});
    } else if (lists_.far_count != nullptr) {
      queue_.put_aside(lists_, head, through);
    }
  }

  const NearFarView<W>& view_;
  BlockQueue<W>& queue_;
  const StepLists<W>& lists_;
};

}  // namespace warpgraph::shortest_paths
