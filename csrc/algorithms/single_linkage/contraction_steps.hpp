// What the contraction of a tree does with each node, edge and row; contraction.hpp has the order
// in which it does so. Bodies of loops, for cores and GPUs alike.
//
// Races: while roots are looked for, a thread reads where others' nodes point to and moves its own
// on, from ancestor to ancestor: whatever it reads leads to the same root, by fewer steps the
// further the others are. Nobody else writes to its node, or what it found last could be undone.
// Everything else writes to places of its own, or by atomic minima.
#pragma once

#include "core/atomics.hpp"
#include "core/types.hpp"

#include <cstdint>

namespace warpgraph::contraction {

/// Vertices first, then what each contraction leaves; fewer than two for each vertex.
using node_t = std::uint32_t;
/// An edge's place in the order of weights, which is its row of the linkage matrix.
using rank_t = std::uint32_t;

inline constexpr node_t no_node = 0xffffffff;
inline constexpr rank_t no_rank = 0xffffffff;

/// Of all levels.
struct Nodes {
  rank_t* lightest;  // of the edges at the node
  node_t* up;        // the node that it becomes part of; while that is looked for, one on the way
};

/// The edges of a level from light to heavy.
struct Edges {
  const node_t* ends;
  const rank_t* ranks;  // null: 0, 1, 2, ...

  [[nodiscard]] WARPGRAPH_HOST_DEVICE rank_t rank(std::int64_t e) const noexcept {
    return ranks == nullptr ? static_cast<rank_t>(e) : ranks[e];
  }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE node_t first(std::int64_t e) const noexcept {
    return ends[2 * e];
  }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE node_t second(std::int64_t e) const noexcept {
    return ends[2 * e + 1];
  }
};

/// The nodes that a row joins. One only: the other one is the row before it in its chain. None: the
/// edge has not been contracted yet.
struct Joined {
  node_t first;
  node_t second;
};

struct BeginLevel {
  Nodes nodes;
  node_t begin;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t i) const noexcept {
    nodes.lightest[begin + i] = no_rank;
    nodes.up[begin + i] = begin + static_cast<node_t>(i);
  }
};

struct OfferEdge {
  Edges edges;
  Nodes nodes;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t e) const noexcept {
    const rank_t rank = edges.rank(e);
    lower(nodes.lightest[edges.first(e)], rank);
    lower(nodes.lightest[edges.second(e)], rank);
  }
};

/// Points every node along its lightest edge; an edge that is the lightest at neither end stays.
struct ChooseEdge {
  Edges edges;
  Nodes nodes;
  Joined* joined;
  std::uint32_t* stays;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t e) const noexcept {
    const rank_t rank = edges.rank(e);
    const node_t u = edges.first(e);
    const node_t v = edges.second(e);
    const bool at_u = nodes.lightest[u] == rank;
    const bool at_v = nodes.lightest[v] == rank;
    if (at_u && at_v) {
      nodes.up[u < v ? v : u] = u < v ? u : v;  // the smaller one is the root of what they become
    } else if (at_u) {
      nodes.up[u] = v;
    } else if (at_v) {
      nodes.up[v] = u;
    }
    joined[rank] = {at_u ? u : at_v ? v : no_node, at_u && at_v ? v : no_node};
    stays[e] = at_u || at_v ? 0 : 1;
  }
};

/// Finds every node's root, and marks the roots.
struct FindRoot {
  Nodes nodes;
  node_t begin;
  std::uint32_t* is_root;
  std::uint32_t* broken;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t i) const noexcept {
    const node_t node = begin + static_cast<node_t>(i);
    node_t root = relaxed_load(nodes.up[node]);
    is_root[i] = root == node ? 1 : 0;
    for (node_t above = relaxed_load(nodes.up[root]); above != root;) {
      relaxed_store(nodes.up[node], above);
      root = above;
      above = relaxed_load(nodes.up[root]);
    }
    if (nodes.lightest[node] == no_rank) relaxed_store(*broken, 1u);
  }
};

/// Turns roots into the nodes of the next level.
struct NameParent {
  Nodes nodes;
  node_t begin;
  const std::uint32_t* number;  // of each root
  node_t next_begin;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t i) const noexcept {
    nodes.up[begin + i] = next_begin + number[nodes.up[begin + i] - begin];
  }
};

/// Hands what stays to the next level; the chains of all else begin at the node that they are in.
/// A tree has no loop at any level. Whatever has none, as many edges as a tree and an edge at every
/// node of every level (which FindRoot sees to) is one: parts that are not joined would each end as
/// a node without edges, or with loops.
struct PassEdge {
  Edges edges;
  Nodes nodes;
  const Joined* joined;
  const std::uint32_t* place;  // in the next level, of edges that stay
  node_t* next_ends;
  rank_t* next_ranks;
  node_t* chain;
  std::uint32_t* broken;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t e) const noexcept {
    const rank_t rank = edges.rank(e);
    const node_t u = nodes.up[edges.first(e)];
    if (joined[rank].first != no_node) {
      chain[rank] = u;
      if (edges.first(e) == edges.second(e)) relaxed_store(*broken, 1u);
      return;
    }
    const node_t v = nodes.up[edges.second(e)];
    const std::int64_t to = place[e];
    next_ends[2 * to] = u;
    next_ends[2 * to + 1] = v;
    next_ranks[to] = rank;
    if (u == v) relaxed_store(*broken, 1u);
  }
};

/// Climbs to the first node whose lightest edge is heavier: it joins what the row belongs to. A
/// chain that ends below that edge has the number of the node among those that are no vertices.
struct ClimbToChain {
  Nodes nodes;
  node_t n_vertices;
  node_t* chain;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t rank) const noexcept {
    node_t node = chain[rank];
    while (nodes.lightest[node] < rank) node = nodes.up[node];
    chain[rank] = node - n_vertices;
  }
};

/// Chains, and where each begins among the rows in the order of their chains.
template <class Order>
struct Chains {
  Order order;  // chain(i), rank(i): the rows chain by chain, each from light to heavy
  std::uint32_t* begin;
  std::uint32_t* size;  // vertices below each chain's last row
  const Joined* joined;
  node_t n_vertices;

  /// The vertices that a row adds to the row before it in its chain.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::uint32_t vertices_of(node_t node) const noexcept {
    if (node == no_node) return 0;
    return node < n_vertices ? 1 : size[node - n_vertices];
  }
  /// The number of a node's cluster; that of what the row at place i goes on from, if it is none.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::uint64_t cluster(node_t node,
                                                            std::int64_t i) const noexcept {
    if (node < n_vertices) return node;
    const std::int64_t last =
        node == no_node ? i - 1 : static_cast<std::int64_t>(begin[node - n_vertices + 1]) - 1;
    return std::uint64_t{n_vertices} + order.rank(last);
  }
};

template <class Order>
struct MarkChain {
  Chains<Order> chains;
  std::int64_t n_rows;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t i) const noexcept {
    const std::uint32_t chain = chains.order.chain(i);
    if (i == 0 || chains.order.chain(i - 1) != chain) {
      chains.begin[chain] = static_cast<std::uint32_t>(i);
    }
    if (i + 1 == n_rows) chains.begin[chain + 1] = static_cast<std::uint32_t>(n_rows);
  }
};

template <class Order>
struct CountVertices {
  Chains<Order> chains;
  std::int64_t first;  // place of the first row
  std::uint32_t* added;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t i) const noexcept {
    const Joined nodes = chains.joined[chains.order.rank(first + i)];
    added[i] = chains.vertices_of(nodes.first) + chains.vertices_of(nodes.second);
  }
};

template <class Order>
struct WriteRow {
  Chains<Order> chains;
  std::int64_t first;
  const std::uint32_t* before;  // vertices added by all rows from `first` to before this one
  const double* heights;
  double* linkage;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t i) const noexcept {
    const std::int64_t place = first + i;
    const std::uint32_t chain = chains.order.chain(place);
    const rank_t rank = chains.order.rank(place);
    const std::uint32_t size = before[i + 1] - before[chains.begin[chain] - first];
    if (chains.begin[chain + 1] == place + 1) chains.size[chain] = size;
    const Joined nodes = chains.joined[rank];
    const std::uint64_t one = chains.cluster(nodes.first, place);
    const std::uint64_t other = chains.cluster(nodes.second, place);
    write(linkage + 4 * static_cast<std::int64_t>(rank),
          static_cast<double>(one < other ? one : other),
          static_cast<double>(one < other ? other : one), heights[rank], size);
  }

 private:
  WARPGRAPH_HOST_DEVICE static void write(double* row, double one, double other, double height,
                                          double size) noexcept {
#if defined(__CUDA_ARCH__)
    // Rows lie anywhere; two wide stores fill the sector of memory that a row is.
    reinterpret_cast<double2*>(row)[0] = make_double2(one, other);
    reinterpret_cast<double2*>(row)[1] = make_double2(height, size);
#else
    row[0] = one;
    row[1] = other;
    row[2] = height;
    row[3] = size;
#endif
  }
};

}  // namespace warpgraph::contraction
