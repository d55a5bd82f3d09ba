// Kruskal's order of a graph's edges, on host and device. Private to this folder.
#pragma once

#include "graph/weight_bits.hpp"

#include <limits>

namespace warpgraph::mst {

/// The position of an edge in Kruskal's order.
template <class Key>
struct Rank {
  Key key;
  edge_t position;
  friend WARPGRAPH_HOST_DEVICE bool operator<(Rank a, Rank b) {
    return a.key != b.key ? a.key < b.key : a.position < b.position;
  }
};

/// The graph with its weights as keys: the first edge in Kruskal's order has the smallest key.
template <class W>
struct KeyedGraph : CsrView<W> {
  using Key = order_key_t<W>;
  KeyedGraph(const CsrView<W>& graph, bool heaviest_first)
      : CsrView<W>(graph), flip(heaviest_first ? std::numeric_limits<Key>::max() : Key{0}) {}

  WARPGRAPH_HOST_DEVICE Key key(edge_t e) const { return order_key(this->weights[e]) ^ flip; }
  WARPGRAPH_HOST_DEVICE Rank<Key> rank(edge_t e) const { return {key(e), e}; }
  [[nodiscard]] Rank<Key> first_rank() const { return {Key{0}, 0}; }
  /// Returns a rank after those of all edges.
  [[nodiscard]] Rank<Key> end_rank() const {
    return {std::numeric_limits<Key>::max(), this->n_arcs};
  }

  Key flip;
};

/// A KeyedGraph as kernels take it: its weights are bits.
template <class Bits>
struct KeyedBits : CsrView<Bits> {
  using Key = Bits;
  KeyedBits(const CsrView<Bits>& graph, const BitOrder<Bits>& order_of_bits)
      : CsrView<Bits>(graph), order(order_of_bits) {}

  WARPGRAPH_HOST_DEVICE Key key(edge_t e) const { return order.key(this->weights[e]); }
  WARPGRAPH_HOST_DEVICE Rank<Key> rank(edge_t e) const { return {key(e), e}; }
  [[nodiscard]] Rank<Key> first_rank() const { return {Key{0}, 0}; }
  /// Returns a rank after those of all edges.
  [[nodiscard]] Rank<Key> end_rank() const {
    return {std::numeric_limits<Key>::max(), this->n_arcs};
  }

  BitOrder<Bits> order;
};

template <class W>
KeyedBits<order_key_t<W>> keyed_bits(const CsrView<W>& graph, bool heaviest_first) {
  return {bits_of(graph), BitOrder<order_key_t<W>>::template of<W>(heaviest_first)};
}

}  // namespace warpgraph::mst
