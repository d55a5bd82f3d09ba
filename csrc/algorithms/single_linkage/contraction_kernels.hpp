// The loop bodies of the tree contraction for nodes, edges and rows, for CPU and GPU.
// contraction.hpp runs them.
//
// Benign race in FindRoot: a thread reads the pointers of other nodes and moves its own from
// ancestor to ancestor. Whatever it reads leads to the same root, in fewer steps the further the
// other threads are. No other thread writes to its node; otherwise its final value could be
// overwritten. All other bodies write to elements of their own, or by atomic minima.
#pragma once

#include "core/atomics.hpp"
#include "core/types.hpp"
#include "primitives/boruvka/boruvka.hpp"

#include <cstdint>

namespace warpgraph::contraction {

/// The number of a node: vertices first, then the nodes of each contracted level; fewer than two
/// per vertex in total.
using node_t = std::uint32_t;
/// An edge's rank in the order of weights, which is its row of the linkage matrix.
using rank_t = std::uint32_t;

inline constexpr node_t no_node = 0xffffffff;
inline constexpr rank_t no_rank = 0xffffffff;

/// The arrays of the nodes of all levels.
struct NodeArrays {
  rank_t* lightest;  // rank of the lightest edge at the node
  node_t* parent;    // the node of the next level; first, an ancestor by chosen edges
};

/// The edges of a level from light to heavy.
struct LevelEdges {
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

/// The nodes that a row merges. If `second` is no_node, the other side is the previous row of its
/// chain. If both are, the edge has not been contracted yet.
struct MergedNodes {
  node_t first;
  node_t second;
};

struct InitNode {
  NodeArrays nodes;
  node_t begin;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t i) const noexcept {
    nodes.lightest[begin + i] = no_rank;
    nodes.parent[begin + i] = begin + static_cast<node_t>(i);
  }
};

struct LowerLightest {
  LevelEdges edges;
  NodeArrays nodes;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t e) const noexcept {
    const rank_t rank = edges.rank(e);
    lower(nodes.lightest[edges.first(e)], rank);
    lower(nodes.lightest[edges.second(e)], rank);
  }
};

/// Sets the parent of every node along its lightest edge. An edge that neither end chose is an
/// alpha edge.
struct ContractLightest {
  LevelEdges edges;
  NodeArrays nodes;
  MergedNodes* merged;
  std::uint32_t* is_alpha;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t e) const noexcept {
    const rank_t rank = edges.rank(e);
    const node_t u = edges.first(e);
    const node_t v = edges.second(e);
    const bool at_u = nodes.lightest[u] == rank;
    const bool at_v = nodes.lightest[v] == rank;
    if (at_u || at_v) boruvka::hook_along(u, v, at_u, at_v, nodes.parent);
    merged[rank] = {at_u ? u : at_v ? v : no_node, at_u && at_v ? v : no_node};
    is_alpha[e] = at_u || at_v ? 0 : 1;
  }
};

/// Finds every node's root, and marks the roots.
struct FindRoot {
  NodeArrays nodes;
  node_t begin;
  std::uint32_t* is_root;
  std::uint32_t* not_tree;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t i) const noexcept {
    const node_t node = begin + static_cast<node_t>(i);
    node_t root = relaxed_load(nodes.parent[node]);
    is_root[i] = root == node ? 1 : 0;
    for (node_t above = relaxed_load(nodes.parent[root]); above != root;) {
      relaxed_store(nodes.parent[node], above);
      root = above;
      above = relaxed_load(nodes.parent[root]);
    }
    if (nodes.lightest[node] == no_rank) relaxed_store(*not_tree, 1u);
  }
};

/// Replaces roots by the nodes of the next level.
struct RenumberParent {
  NodeArrays nodes;
  node_t begin;
  const std::uint32_t* root_index;  // index of each root in the next level
  node_t next_begin;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t i) const noexcept {
    nodes.parent[begin + i] = next_begin + root_index[nodes.parent[begin + i] - begin];
  }
};

/// Copies alpha edges to the next level. The chains of other edges start their walk at the node
/// that the edge was contracted to.
///
/// Checks for a tree: a tree has no loop at any level. Conversely, a graph without loops, with as
/// many edges as a tree and with an edge at every node of every level (which FindRoot checks) is a
/// tree, since unconnected parts would end as nodes without edges or with loops.
struct PromoteEdge {
  LevelEdges edges;
  NodeArrays nodes;
  const MergedNodes* merged;
  const std::uint32_t* alpha_index;  // of alpha edges: index in the next level
  node_t* next_ends;
  rank_t* next_ranks;
  node_t* chain;
  std::uint32_t* not_tree;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t e) const noexcept {
    const rank_t rank = edges.rank(e);
    const node_t u = nodes.parent[edges.first(e)];
    if (merged[rank].first != no_node) {
      chain[rank] = u;
      if (edges.first(e) == edges.second(e)) relaxed_store(*not_tree, 1u);
      return;
    }
    const node_t v = nodes.parent[edges.second(e)];
    const std::int64_t to = alpha_index[e];
    next_ends[2 * to] = u;
    next_ends[2 * to + 1] = v;
    next_ranks[to] = rank;
    if (u == v) relaxed_store(*not_tree, 1u);
  }
};

/// Walks up to the first node whose lightest edge is heavier: the chain of the row ends below that
/// edge. The chain's number is that of the node, counted from the first node that is no vertex.
struct FindChain {
  NodeArrays nodes;
  node_t n_vertices;
  node_t* chain;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t rank) const noexcept {
    node_t node = chain[rank];
    while (nodes.lightest[node] < rank) node = nodes.parent[node];
    chain[rank] = node - n_vertices;
  }
};

/// The chains, and where each begins in the order of rows by chain.
template <class Order>
struct Chains {
  Order order;  // chain(i), rank(i): the rows chain by chain, each from light to heavy
  std::uint32_t* begin;
  std::uint32_t* size;  // vertices of each chain's last row
  const MergedNodes* merged;
  node_t n_vertices;

  /// Returns the vertices that `node` adds to the previous row of the chain.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::uint32_t vertices_of(node_t node) const noexcept {
    if (node == no_node) return 0;
    return node < n_vertices ? 1 : size[node - n_vertices];
  }
  /// Returns the cluster number of a node; if it is no_node, that of the row before position i.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::uint64_t cluster(node_t node,
                                                            std::int64_t i) const noexcept {
    if (node < n_vertices) return node;
    const std::int64_t last =
        node == no_node ? i - 1 : static_cast<std::int64_t>(begin[node - n_vertices + 1]) - 1;
    return std::uint64_t{n_vertices} + order.item(last);
  }
};

template <class Order>
struct MarkChainBegin {
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
  std::int64_t first;  // position of the first row
  std::uint32_t* added;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t i) const noexcept {
    const MergedNodes nodes = chains.merged[chains.order.item(first + i)];
    added[i] = chains.vertices_of(nodes.first) + chains.vertices_of(nodes.second);
  }
};

template <class Order>
struct WriteRow {
  Chains<Order> chains;
  std::int64_t first;
  const std::uint32_t* before;  // exclusive prefix sums of the vertices added, from `first` on
  const double* heights;
  double* linkage;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t i) const noexcept {
    const std::int64_t position = first + i;
    const std::uint32_t chain = chains.order.chain(position);
    const rank_t rank = chains.order.item(position);
    const std::uint32_t size = before[i + 1] - before[chains.begin[chain] - first];
    if (chains.begin[chain + 1] == position + 1) chains.size[chain] = size;
    const MergedNodes nodes = chains.merged[rank];
    const std::uint64_t one = chains.cluster(nodes.first, position);
    const std::uint64_t other = chains.cluster(nodes.second, position);
    write(linkage + 4 * static_cast<std::int64_t>(rank),
          static_cast<double>(one < other ? one : other),
          static_cast<double>(one < other ? other : one), heights[rank], size);
  }

 private:
  WARPGRAPH_HOST_DEVICE static void write(double* row, double one, double other, double height,
                                          double size) noexcept {
#if defined(__CUDA_ARCH__)
    // Rows are written in random order; two wide stores fill the memory sector of a row.
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
