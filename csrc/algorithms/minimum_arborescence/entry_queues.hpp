// The queues of contracted vertices: the vertices in each, by the weight of the lightest edge that
// enters them. Private to this folder.
#pragma once

#include "algorithms/minimum_arborescence/entering_edges.hpp"

#include <cstdint>
#include <type_traits>
#include <utility>

namespace warpgraph::arborescence {

/// The type of weights from which others were subtracted: integers have room for sums of as many as
/// there are vertices.
__extension__ using int128_t = __int128;
template <class W>
using reduced_t = std::conditional_t<std::is_floating_point_v<W>, double,
                                     std::conditional_t<sizeof(W) == 4, std::int64_t, int128_t>>;

/// Skew heaps, each named by the vertex at its top; no_vertex is the empty one.
template <class W>
class EntryQueues {
 public:
  using Reduced = reduced_t<W>;

  EntryQueues(const CsrView<W>& graph, vertex_t root)
      : edges_(graph, root), nodes_(at(graph.n_vertices)) {
    for (vertex_t v = 0; v < graph.n_vertices; ++v) {
      nodes_[at(v)] = Node{};
      if (!edges_.empty(v)) take_lightest(v);
    }
  }

  static std::size_t bytes_needed(const CsrPattern& graph) {
    return EnteringEdges<W>::bytes_needed(graph) + at(graph.n_vertices) * sizeof(Node);
  }

  /// Returns the queue of a vertex alone.
  [[nodiscard]] vertex_t queue_of(vertex_t v) const { return edges_.empty(v) ? no_vertex : v; }

  /// Returns the lightest edge into the vertex at the top of a queue.
  [[nodiscard]] const EnteringEdge<W>& edge(vertex_t top) const { return nodes_[at(top)].edge; }
  [[nodiscard]] Reduced weight(vertex_t top) const {
    const Node& node = nodes_[at(top)];
    return static_cast<Reduced>(node.edge.weight) - node.subtracted;
  }

  /// Subtracts a number from the weights of all edges of a queue.
  void subtract(vertex_t top, Reduced number) {
    nodes_[at(top)].subtracted += number;
    nodes_[at(top)].below += number;
  }

  /// Drops edges into the top until `is_within(edge)` is false. Returns the queue that is left.
  template <class IsWithin>
  vertex_t drop(vertex_t top, IsWithin&& is_within) {
    while (top != no_vertex && is_within(edge(top))) {
      const vertex_t v = top;
      push_down(v);
      Node& node = nodes_[at(v)];
      top = meld(node.left, node.right);
      node.left = node.right = no_vertex;
      do edges_.drop_lightest(v);
      while (!edges_.empty(v) && is_within(edges_.lightest(v)));
      if (edges_.empty(v)) continue;
      take_lightest(v);
      top = meld(top, v);
    }
    return top;
  }

  vertex_t meld(vertex_t a, vertex_t b) {
    if (a == no_vertex) return b;
    if (b == no_vertex) return a;
    if (comes_before(b, a)) std::swap(a, b);
    const vertex_t top = a;
    for (;;) {  // down the right paths of both, swapping the children of every node on it
      push_down(a);
      Node& node = nodes_[at(a)];
      vertex_t next = std::exchange(node.right, node.left);
      if (next == no_vertex) {
        node.left = b;
        return top;
      }
      if (comes_before(b, next)) std::swap(b, next);
      node.left = next;
      a = next;
    }
  }

 private:
  struct Node {
    Reduced subtracted{0};  // from the weights of the vertex's edges
    Reduced below{0};       // what is still to be subtracted from those of its children
    EnteringEdge<W> edge{};
    vertex_t left = no_vertex;
    vertex_t right = no_vertex;
  };

  void take_lightest(vertex_t v) { nodes_[at(v)].edge = edges_.lightest(v); }

  [[nodiscard]] bool comes_before(vertex_t a, vertex_t b) const {
    const Reduced of_a = weight(a);
    const Reduced of_b = weight(b);
    return of_a < of_b || (of_a == of_b && edge(a).position < edge(b).position);
  }

  void push_down(vertex_t v) {
    Node& node = nodes_[at(v)];
    const Reduced number = std::exchange(node.below, Reduced{0});
    if (number == Reduced{0}) return;
    if (node.left != no_vertex) subtract(node.left, number);
    if (node.right != no_vertex) subtract(node.right, number);
  }

  EnteringEdges<W> edges_;
  HostVector<Node> nodes_;
};

}  // namespace warpgraph::arborescence
