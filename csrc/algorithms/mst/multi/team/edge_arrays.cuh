// Edges of a forest on a device.
#pragma once

#include "algorithms/mst/kruskals_order.cuh"
#include "graph/device_tail.cuh"

namespace warpgraph::mst {

template <class Bits>
struct EdgeArrays {
  cuda::DeviceBuffer<vertex_t> ends;     // those of edge i: 2 i and 2 i + 1
  cuda::DeviceBuffer<Bits> weights;      // their bits
  cuda::DeviceBuffer<edge_t> positions;  // in the whole graph

  EdgeArrays(std::int64_t n, const cuda::Stream& stream)
      : ends(2 * static_cast<std::size_t>(n), stream),
        weights(static_cast<std::size_t>(n), stream),
        positions(static_cast<std::size_t>(n), stream) {}

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(positions.size()); }
  /// Returns a graph that has these weights and nothing else, which is all that sorting reads.
  [[nodiscard]] KeyedBits<Bits> keyed(const BitOrder<Bits>& order) const {
    CsrView<Bits> view;
    view.weights = weights.data();
    return {view, order};
  }

  /// The bytes that sorting takes for each edge: three sets of these arrays (divided into ranges,
  /// received from other members, in order), and three arrays of indices and of keys each.
  static constexpr std::size_t bytes_to_order =
      3 * (2 * sizeof(vertex_t) + sizeof(Bits) + sizeof(edge_t)) + 3 * sizeof(edge_t) +
      3 * sizeof(Bits);
};

/// Looks up a member's edges, whose positions are in its own rows. The first entry of these is
/// entry `first` of the whole graph.
template <class Bits>
__global__ void look_up_member_edges(CsrView<Bits> rows, edge_t first, const edge_t* positions,
                                     std::int64_t n, vertex_t* ends, Bits* weights,
                                     edge_t* in_whole_graph) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const edge_t e = positions[i];
  ends[2 * i] = tail_on_device(rows, e);
  ends[2 * i + 1] = rows.heads[e];
  weights[i] = rows.weights[e];
  in_whole_graph[i] = first + e;
}

/// Copies edge order[i] to place i, for each i.
template <class Bits>
__global__ void gather_edges(const edge_t* order, std::int64_t n, const vertex_t* ends,
                             const Bits* weights, const edge_t* positions, vertex_t* ordered_ends,
                             Bits* ordered_weights, edge_t* ordered_positions) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const edge_t from = order[i];
  ordered_ends[2 * i] = ends[2 * from];
  ordered_ends[2 * i + 1] = ends[2 * from + 1];
  ordered_weights[i] = weights[from];
  ordered_positions[i] = positions[from];
}

/// Returns the edges in the given order.
template <class Bits>
EdgeArrays<Bits> gathered(const EdgeArrays<Bits>& edges, const edge_t* order,
                          const cuda::Stream& stream) {
  EdgeArrays<Bits> made(edges.size(), stream);
  cuda::launch_for(stream, edges.size(), gather_edges<Bits>, order, edges.size(), edges.ends.data(),
                   edges.weights.data(), edges.positions.data(), made.ends.data(),
                   made.weights.data(), made.positions.data());
  return made;
}

/// Returns the edges in Kruskal's order. They must be given in the order of their positions, by
/// which a stable sort breaks ties.
template <class Bits>
EdgeArrays<Bits> in_order(const EdgeArrays<Bits>& edges, const BitOrder<Bits>& weights,
                          const cuda::Stream& stream) {
  const cuda::DeviceBuffer<edge_t> indices(edges.positions.size(), stream);
  cuda::iota(indices.data(), edges.size(), stream);
  const cuda::DeviceBuffer<edge_t> order =
      in_kruskals_order(edges.keyed(weights), indices.data(), edges.size(), stream);
  return gathered(edges, order.data(), stream);
}

}  // namespace warpgraph::mst
