// The graph as a list of edges (COO) on a device, so that a thread has one edge and threads side by
// side read weights side by side. A symmetric graph's pairs u -> v, v -> u are listed once, with
// tail <= head, and whoever visits an edge walks it both ways: half the arrays to read.
#pragma once

#include "algorithms/sssp/steps.hpp"
#include "core/atomics.hpp"
#include "core/cuda/buffer.hpp"
#include "core/cuda/launch.cuh"
#include "graph/for_each_edge.cuh"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>

namespace warpgraph::sssp_steps {

template <class W>
struct EdgeListView {
  edge_t n_edges = 0;
  bool both_ways = false;
  const vertex_t* tails = nullptr;
  const vertex_t* heads = nullptr;
  const W* weights = nullptr;  // nullptr: every edge weighs 1

  __device__ W weight(edge_t e) const { return weights != nullptr ? weights[e] : W{1}; }
};

namespace detail {

struct WriteTail {
  vertex_t* tails;
  __device__ void operator()(vertex_t tail, vertex_t, edge_t position) const {
    tails[position] = tail;
  }
};

struct IsListed {
  const vertex_t* tails;
  const vertex_t* heads;
  __host__ __device__ edge_t operator()(edge_t e) const { return tails[e] <= heads[e] ? 1 : 0; }
};

/// Calls a CUB algorithm twice, as they want it: for the size of the scratch memory, and to run.
template <class Algorithm>
void run_cub(const cuda::Stream& stream, Algorithm&& algorithm) {
  const cuda::DeviceGuard guard(stream.device());
  std::size_t bytes = 0;
  CUDA_TRY(algorithm(nullptr, bytes));
  const cuda::DeviceBuffer<std::byte> scratch(std::max<std::size_t>(bytes, 1), stream);
  CUDA_TRY(algorithm(scratch.data(), bytes));
}

}  // namespace detail

template <class W>
class EdgeList {
 public:
  /// What building a list takes at most. Loops of a symmetric graph have no second arc; more of
  /// them than vertices are not reckoned with.
  static std::size_t bytes_needed(const CsrView<W>& graph, bool symmetric) {
    const auto tails = static_cast<std::size_t>(graph.n_arcs) * sizeof(vertex_t);
    const auto n_pairs = static_cast<std::size_t>(graph.n_arcs / 2 + graph.n_vertices);
    return symmetric ? tails + n_pairs * (2 * sizeof(vertex_t) + sizeof(W)) : tails;
  }

  /// Lists all arcs; of the graph's own arrays, heads and weights are used in place.
  EdgeList(const CsrView<W>& graph, const cuda::Stream& stream)
      : tails_(static_cast<std::size_t>(graph.n_arcs), stream) {
    cuda::for_each_edge(stream, graph, cuda::AllVertices{graph.n_vertices},
                        cuda::EdgeMapping::merge_path, detail::WriteTail{tails_.data()});
    view_ = {graph.n_arcs, false, tails_.data(), graph.heads, graph.weights};
  }

  [[nodiscard]] EdgeListView<W> view() const noexcept { return view_; }

  /// Of a symmetric graph: drops one arc of each pair. The order stays that of the rows.
  void list_pairs_once(const cuda::Stream& stream) {
    const edge_t n_pairs = count_pairs(stream);
    if (view_.weights != nullptr) {
      weights_ = keep_listed(view_.weights, n_pairs, stream);
      view_.weights = weights_.data();
    }
    heads_ = keep_listed(view_.heads, n_pairs, stream);
    cuda::DeviceBuffer<vertex_t> tails = keep_listed(view_.tails, n_pairs, stream);
    tails_ = std::move(tails);  // the old ones go back to the pool in stream order
    view_.n_edges = n_pairs;
    view_.both_ways = true;
    view_.tails = tails_.data();
    view_.heads = heads_.data();
  }

 private:
  [[nodiscard]] auto listed() const {
    return thrust::make_transform_iterator(thrust::make_counting_iterator(edge_t{0}),
                                           detail::IsListed{view_.tails, view_.heads});
  }

  [[nodiscard]] edge_t count_pairs(const cuda::Stream& stream) const {
    const cuda::DeviceBuffer<edge_t> count(1, stream);
    detail::run_cub(stream, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceReduce::Sum(scratch, bytes, listed(), count.data(), view_.n_edges,
                                    stream.get());
    });
    return cuda::read_back(count.data(), stream);
  }

  template <class T>
  cuda::DeviceBuffer<T> keep_listed(const T* values, edge_t n_pairs,
                                    const cuda::Stream& stream) const {
    cuda::DeviceBuffer<T> kept(static_cast<std::size_t>(n_pairs), stream);
    const cuda::DeviceBuffer<edge_t> count(1, stream);
    detail::run_cub(stream, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceSelect::Flagged(scratch, bytes, values, listed(), kept.data(), count.data(),
                                        view_.n_edges, stream.get());
    });
    return kept;
  }

  cuda::DeviceBuffer<vertex_t> tails_;
  cuda::DeviceBuffer<vertex_t> heads_;  // empty while the graph's own serve
  cuda::DeviceBuffer<W> weights_;
  EdgeListView<W> view_;
};

template <class W, class Op>
__global__ void visit_edge_list(EdgeListView<W> edges, Op op) {
  const edge_t e = cuda::global_index();
  if (e >= edges.n_edges) return;
  const vertex_t tail = edges.tails[e];
  const vertex_t head = edges.heads[e];
  const W weight = edges.weight(e);
  op(tail, head, weight);
  if (edges.both_ways) op(head, tail, weight);
}

/// op(tail, head, weight) for every arc of the graph. Does not wait.
template <class W, class Op>
void for_each_arc(const cuda::Stream& stream, const EdgeListView<W>& edges, const Op& op) {
  cuda::launch_for(stream, edges.n_edges, visit_edge_list<W, Op>, edges, op);
}

}  // namespace warpgraph::sssp_steps
