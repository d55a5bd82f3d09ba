// The dendrogram of a tree in O(log n) parallel steps of levels that halve, after [2] of
// single_linkage.hpp.
//
// Let every node choose the lightest of its edges. In the dendrogram, a chosen edge has a node
// right below it, hence at most one other edge; only edges that no end chose branch. Contracting
// all chosen edges at once leaves a tree of those that branch, at most half as many, and its
// dendrogram is what is left of the whole one when chosen edges are passed by. So the dendrogram of
// each level is that of the next one with the chosen edges put back: into the branch above the node
// that they were contracted to, or above a node that this one becomes part of, namely the first
// whose own lightest edge is heavier than they are. A branch so filled is a chain: edges from light
// to heavy.
//
// One stable sort of all rows by chain therefore gives the order of every chain. A row joins the
// row before it in its chain and the last row of the chain that ends at its node, or two of those.
// Sizes are sums along chains, level by level, since what a chain adds up ended at lower levels.
//
// Others who contract trees for this use union-find to contract and look for the places of chosen
// edges by comparing with the edges at their node on both sides; pointing along lightest edges and
// climbing needs neither, and a climb ends soon where levels shrink fast.
#pragma once

#include "algorithms/single_linkage/contraction_steps.hpp"
#include "algorithms/single_linkage/ranked_tree.hpp"
#include "core/interrupt.hpp"

#include <utility>
#include <vector>

namespace warpgraph::contraction {

/// Machine: cores or a GPU. It has arrays, loops, a scan, a sort, and reads single items.
template <class Machine>
class TreeContraction {
 public:
  TreeContraction(const Machine& machine, const RankedTree& tree)
      : machine_(machine),
        tree_(tree),
        n_rows_(tree.n_vertices - 1),
        lightest_(machine.template array<rank_t>(2 * tree.n_vertices)),
        up_(machine.template array<node_t>(2 * tree.n_vertices)),
        joined_(machine.template array<Joined>(n_rows_)),
        chain_(machine.template array<node_t>(n_rows_)),
        broken_(machine.template array<std::uint32_t>(1)) {}

  /// Bytes that it takes for each vertex, at most, beside what the sort takes.
  static constexpr std::size_t bytes_per_vertex =
      2 * (sizeof(rank_t) + sizeof(node_t)) + sizeof(Joined) + sizeof(node_t)  // all levels
      + 2 * sizeof(std::uint32_t) + 2 * sizeof(node_t) + sizeof(rank_t)        // two levels' edges
      + 3 * sizeof(std::uint32_t);                                             // chains and sizes

  /// Fills the linkage matrix; false if the edges are no tree.
  bool run(double* linkage) {
    machine_.write(broken_.data(), 0u);
    if (!contract()) return false;
    machine_.for_each(n_rows_, ClimbToChain{nodes(), n_vertices(), chain_.data()});
    write_rows(linkage);
    return true;
  }

 private:
  using Order = typename Machine::Order;
  template <class T>
  using Array = typename Machine::template Array<T>;

  [[nodiscard]] Nodes nodes() { return {lightest_.data(), up_.data()}; }
  [[nodiscard]] node_t n_vertices() const { return static_cast<node_t>(tree_.n_vertices); }

  bool contract() {
    static_assert(sizeof(vertex_t) == sizeof(node_t));
    Edges edges{reinterpret_cast<const node_t*>(tree_.ends), nullptr};
    Array<node_t> ends;
    Array<rank_t> ranks;
    node_t begin = 0;
    node_t n_nodes = n_vertices();
    while (n_nodes > 1) {
      poll();
      begins_.push_back(begin);
      const node_t n_next = choose_edges(edges, begin, n_nodes);
      auto next_ends = machine_.template array<node_t>(2 * std::int64_t{n_next - 1});
      auto next_ranks = machine_.template array<rank_t>(n_next - 1);
      machine_.for_each(n_nodes, NameParent{nodes(), begin, number_.data(), begin + n_nodes});
      machine_.for_each(n_nodes - 1,
                        PassEdge{edges, nodes(), joined_.data(), place_.data(), next_ends.data(),
                                 next_ranks.data(), chain_.data(), broken_.data()});
      if (machine_.read(broken_.data()) != 0) return false;
      ends = std::move(next_ends);
      ranks = std::move(next_ranks);
      edges = {ends.data(), ranks.data()};
      begin += n_nodes;
      n_nodes = n_next;
    }
    begins_.push_back(begin);
    begins_.push_back(begin + 1);
    machine_.for_each(1, BeginLevel{nodes(), begin});
    number_ = {};
    place_ = {};
    return true;
  }

  /// Contracts the chosen edges of a level; returns how many nodes that leaves.
  node_t choose_edges(const Edges& edges, node_t begin, node_t n_nodes) {
    const std::int64_t n_edges = std::int64_t{n_nodes} - 1;
    if (begin == 0) {  // later levels are smaller
      number_ = machine_.template array<std::uint32_t>(std::int64_t{n_nodes} + 1);
      place_ = machine_.template array<std::uint32_t>(n_edges + 1);
    }
    machine_.for_each(n_nodes, BeginLevel{nodes(), begin});
    machine_.for_each(n_edges, OfferEdge{edges, nodes()});
    machine_.for_each(n_edges, ChooseEdge{edges, nodes(), joined_.data(), place_.data()});
    machine_.for_each(n_nodes, FindRoot{nodes(), begin, number_.data(), broken_.data()});
    machine_.scan(number_.data(), n_nodes);
    machine_.scan(place_.data(), n_edges);
    return machine_.read(number_.data() + n_nodes);
  }

  void write_rows(double* linkage) {
    const std::int64_t n_chains = begins_.back() - n_vertices();
    const auto sorted = machine_.sort_by_chain(chain_.data(), n_rows_, n_chains);
    auto begin = machine_.template array<std::uint32_t>(n_chains + 1);
    auto size = machine_.template array<std::uint32_t>(n_chains);
    const Chains<Order> chains{sorted.order(), begin.data(), size.data(), joined_.data(),
                               n_vertices()};
    machine_.for_each(n_rows_, MarkChain<Order>{chains, n_rows_});
    std::vector<std::int64_t> places;  // of each level's first row
    for (std::size_t level = 1; level < begins_.size(); ++level) {
      places.push_back(machine_.read(begin.data() + (begins_[level] - n_vertices())));
    }
    for (std::size_t level = 0; level + 1 < places.size(); ++level) {
      poll();
      write_level(chains, places[level], places[level + 1], linkage);
    }
  }

  void write_level(const Chains<Order>& chains, std::int64_t first, std::int64_t last,
                   double* linkage) {
    auto vertices = machine_.template array<std::uint32_t>(last - first + 1);
    machine_.for_each(last - first, CountVertices<Order>{chains, first, vertices.data()});
    machine_.scan(vertices.data(), last - first);
    machine_.for_each(last - first,
                      WriteRow<Order>{chains, first, vertices.data(), tree_.heights, linkage});
  }

  const Machine& machine_;
  const RankedTree tree_;
  const std::int64_t n_rows_;
  Array<rank_t> lightest_;
  Array<node_t> up_;
  Array<Joined> joined_;         // of each row
  Array<node_t> chain_;          // of each row: the node that its chain ends at
  Array<std::uint32_t> number_;  // of each root of a level
  Array<std::uint32_t> place_;   // of each edge that stays
  Array<std::uint32_t> broken_;  // not 0: the edges are no tree
  std::vector<node_t> begins_;   // of the nodes of each level
};

}  // namespace warpgraph::contraction
