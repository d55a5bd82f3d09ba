// The graph as a list of edges (COO) on a device. A thread processes one edge, so the reads of a
// warp are coalesced. Of a symmetric graph, each pair u -> v, v -> u is listed once, with
// tail <= head, and the kernel relaxes the edge in both directions: half the bytes to read. Of a
// part of a symmetric graph, whose other rows are in other lists, the parity of tail + head decides
// in which direction the pair is listed, so that all lists have about half of their arcs.
//
// Edges in the order of rows access an array that is indexed by vertices at random. So the array is
// divided into segments, and the edges are sorted by (segment of the head, segment of the tail) [5
// in sssp.hpp]. Edges that are processed together then have their ends in two or three segments,
// which stay in the cache. Edges of the same pair of segments keep the order of the rows.
#pragma once

#include "core/atomics.hpp"
#include "core/cuda/cub/sort_pairs.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "graph/for_each_edge.cuh"
#include "primitives/relaxation/device_pairs_once.hpp"
#include "primitives/relaxation/edge_list_bytes.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <bit>

namespace warpgraph::shortest_paths {

template <class W>
struct DeviceEdgeListView {
  edge_t n_edges = 0;
  bool both_ways = false;
  const vertex_t* tails = nullptr;
  const vertex_t* heads = nullptr;
  const W* weights = nullptr;  // nullptr: every edge weighs 1

  /// Returns a weight. A pass over the edges reads each weight once: it should leave the cache
  /// before distances do.
  __device__ W weight(edge_t e) const { return weights != nullptr ? __ldcs(weights + e) : W{1}; }
};

namespace detail {

struct WriteTail {
  vertex_t* tails;
  __device__ void operator()(vertex_t tail, vertex_t, edge_t position) const {
    tails[position] = tail;
  }
};

/// Computes the sort key of each edge: numbers[e] is its pair (segment of the head, segment of the
/// tail).
template <class W>
__global__ void number_segments(DeviceEdgeListView<W> edges, vertex_t length,
                                std::uint32_t n_segments, std::uint32_t* numbers) {
  const edge_t e = cuda::global_index();
  if (e >= edges.n_edges) return;
  numbers[e] = static_cast<std::uint32_t>(edges.heads[e] / length) * n_segments +
               static_cast<std::uint32_t>(edges.tails[e] / length);
}

}  // namespace detail

/// The layout of an edge list.
struct DeviceEdgeListPlan {
  bool symmetric = false;
  vertex_t segment_length = 0;  // 0: not sorted, the order of the rows
  // true for a part of a symmetric graph, whose other rows are in other lists
  bool of_part = false;

  /// Returns a key for the DerivedCache. Lists with weights and lists without have different keys.
  [[nodiscard]] std::uint64_t variant(bool weighted) const noexcept {
    return static_cast<std::uint64_t>(segment_length) << 2 | (symmetric ? 2u : 0u) |
           (weighted ? 1u : 0u);
  }
};

template <class W>
class DeviceEdgeList {
 public:
  /// Returns an upper bound on the bytes that building a list takes. A loop of a symmetric graph
  /// has no second arc; the bound allows for one loop per vertex. For a part it is no bound: the
  /// list has about half of the arcs, here five eighths. Where it has more, there may be no memory
  /// for it.
  static std::size_t bytes_needed(const CsrView<W>& graph, const DeviceEdgeListPlan& plan) {
    const auto n_arcs = static_cast<std::size_t>(graph.n_arcs);
    std::size_t n_edges = n_arcs;
    if (plan.symmetric) {
      n_edges = plan.of_part ? edges_of_part(n_arcs)
                             : static_cast<std::size_t>(graph.n_arcs / 2 + graph.n_vertices);
    }
    // All tails are freed before edges are sorted.
    const std::size_t listing =
        n_arcs * sizeof(vertex_t) + (plan.symmetric ? n_edges * bytes_of_edge(sizeof(W)) : 0);
    if (plan.segment_length == 0) return listing;
    return std::max(listing, bytes_of_edges_in_segments(n_edges, sizeof(W)));
  }

  /// Makes the list, which refers to the graph's own heads and weights unless `plan` changes their
  /// order.
  DeviceEdgeList(const CsrView<W>& graph, const DeviceEdgeListPlan& plan,
                 const cuda::Stream& stream)
      : tails_(static_cast<std::size_t>(graph.n_arcs), stream) {
    cuda::for_each_edge(stream, graph, cuda::AllVertices{graph.n_vertices},
                        cuda::EdgeMapping::merge_path, detail::WriteTail{tails_.data()});
    view_ = {graph.n_arcs, false, tails_.data(), graph.heads, graph.weights};
    if (plan.symmetric) list_pairs_once(plan.of_part, stream);
    if (plan.segment_length != 0) {
      sort_by_segments(graph.n_vertices, plan.segment_length, stream);
    }
  }

  /// Returns the bytes of device memory, without the graph's own arrays.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return tails_.bytes() + heads_.bytes() + weights_.bytes();
  }
  [[nodiscard]] DeviceEdgeListView<W> view() const noexcept { return view_; }

 private:
  /// Removes one arc of each pair. Keeps the order of the rows.
  void list_pairs_once(bool of_part, const cuda::Stream& stream) {
    const ArcEnds arcs{view_.n_edges, view_.tails, view_.heads, of_part};
    const edge_t n_pairs = count_pairs(arcs, stream);
    if (view_.weights != nullptr) {
      weights_ = keep_once(arcs, view_.weights, n_pairs, stream);
      view_.weights = weights_.data();
    }
    heads_ = keep_once(arcs, view_.heads, n_pairs, stream);
    cuda::DeviceBuffer<vertex_t> tails = keep_once(arcs, view_.tails, n_pairs, stream);
    tails_ = std::move(tails);  // frees the old array in stream order
    view_.n_edges = n_pairs;
    view_.both_ways = true;
    view_.tails = tails_.data();
    view_.heads = heads_.data();
  }

  void sort_by_segments(vertex_t n_vertices, vertex_t length, const cuda::Stream& stream) {
    const auto n_segments = static_cast<std::uint32_t>((n_vertices - 1) / length + 1);
    EXPECTS(n_segments < 1u << 16, n_segments, " segments are more than a key can number");
    if (view_.n_edges == 0 || n_segments == 1) return;
    const cuda::DeviceBuffer<std::uint32_t> numbers(n_edges(), stream);
    const cuda::DeviceBuffer<std::uint32_t> sorted(n_edges(), stream);
    cuda::launch_for(stream, view_.n_edges, detail::number_segments<W>, view_, length, n_segments,
                     numbers.data());
    const int bits = std::bit_width(n_segments * n_segments - 1);
    // The sort is stable, so sorting each array separately yields the same order.
    const auto reorder = [&]<class T>(const T* values, cuda::DeviceBuffer<T>& owner) {
      cuda::DeviceBuffer<T> reordered(n_edges(), stream);
      cuda::sort_pairs(numbers.data(), sorted.data(), values, reordered.data(), view_.n_edges, bits,
                       stream);
      owner = std::move(reordered);
      return static_cast<const T*>(owner.data());
    };
    view_.tails = reorder(view_.tails, tails_);
    view_.heads = reorder(view_.heads, heads_);
    if (view_.weights != nullptr) view_.weights = reorder(view_.weights, weights_);
  }

  [[nodiscard]] std::size_t n_edges() const { return static_cast<std::size_t>(view_.n_edges); }

  cuda::DeviceBuffer<vertex_t> tails_;
  cuda::DeviceBuffer<vertex_t> heads_;  // empty if the graph's own array is used
  cuda::DeviceBuffer<W> weights_;
  DeviceEdgeListView<W> view_;
};

template <class W, class Op>
__global__ void visit_edge_list(DeviceEdgeListView<W> edges, Op op) {
  const edge_t e = cuda::global_index();
  if (e >= edges.n_edges) return;
  const vertex_t tail = edges.tails[e];
  const vertex_t head = edges.heads[e];
  const W weight = edges.weight(e);
  op(tail, head, weight);
  if (edges.both_ways) op(head, tail, weight);
}

/// Calls op(tail, head, weight) for every arc of the graph. Asynchronous.
template <class W, class Op>
void for_each_arc(const cuda::Stream& stream, const DeviceEdgeListView<W>& edges, const Op& op) {
  cuda::launch_for(stream, edges.n_edges, visit_edge_list<W, Op>, edges, op);
}

}  // namespace warpgraph::shortest_paths
