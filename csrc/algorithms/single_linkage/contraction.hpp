// The dendrogram of a tree in O(log n) parallel levels of at most half the size each, after PANDORA
// ([2] of single_linkage.hpp).
//
// Every node chooses its lightest edge. In the dendrogram, an edge chosen by a node has that node
// as a child, hence at most one other edge. Only edges that neither end chose (the alpha edges of
// [2]) have two edges as children. Contracting all chosen edges at once leaves a tree of the alpha
// edges, at most half as many. Its dendrogram is the whole dendrogram without the chosen edges. So
// the dendrogram of each level is that of the next level with the chosen edges inserted again. An
// edge belongs into the branch above the node that it was contracted to, or above an ancestor of
// this node, namely the first whose own lightest edge is heavier than the edge. A branch so filled
// is a chain: edges from light to heavy.
//
// One stable sort of all rows by chain therefore yields the order of every chain. A row merges the
// row before it in its chain and the last row of the chain that ends at its node, or two of the
// latter. Sizes are prefix sums along chains, level by level, since the summands of a chain end at
// lower levels.
//
// PANDORA contracts by union-find, and finds the branch of a chosen edge by comparing it with the
// edges at its node on both sides. Following the lightest edges and walking up the ancestors needs
// neither, and a walk ends soon where levels shrink fast.
#pragma once

#include "algorithms/single_linkage/contraction_kernels.hpp"
#include "algorithms/single_linkage/ranked_tree.hpp"
#include "core/interrupt.hpp"

#include <utility>
#include <vector>

namespace warpgraph::contraction {

/// The contraction of a tree by a backend, CPU or GPU, which provides arrays, loops, an exclusive
/// scan that appends the total, a sort, and reads of single items.
template <class Backend>
class TreeContraction {
 public:
  TreeContraction(const Backend& backend, const RankedTree& tree)
      : backend_(backend),
        tree_(tree),
        n_rows_(tree.n_vertices - 1),
        lightest_(backend.template array<rank_t>(2 * tree.n_vertices)),
        parent_(backend.template array<node_t>(2 * tree.n_vertices)),
        merged_(backend.template array<MergedNodes>(n_rows_)),
        chain_(backend.template array<node_t>(n_rows_)),
        not_tree_(backend.template array<std::uint32_t>(1)) {}

  /// An upper bound of the bytes per vertex, without those of the sort.
  static constexpr std::size_t bytes_per_vertex =
      2 * (sizeof(rank_t) + sizeof(node_t)) + sizeof(MergedNodes) + sizeof(node_t)  // all levels
      + 2 * sizeof(std::uint32_t) + 2 * sizeof(node_t) + sizeof(rank_t)  // edges of two levels
      + 3 * sizeof(std::uint32_t);                                       // chains and sizes

  /// Fills the linkage matrix. Returns false if the edges are no tree.
  bool run(double* linkage) {
    backend_.write(not_tree_.data(), 0u);
    if (!contract()) return false;
    backend_.for_each(n_rows_, FindChain{nodes(), n_vertices(), chain_.data()});
    write_rows(linkage);
    return true;
  }

 private:
  using Order = typename Backend::Order;
  template <class T>
  using Array = typename Backend::template Array<T>;

  [[nodiscard]] NodeArrays nodes() { return {lightest_.data(), parent_.data()}; }
  [[nodiscard]] node_t n_vertices() const { return static_cast<node_t>(tree_.n_vertices); }

  bool contract() {
    static_assert(sizeof(vertex_t) == sizeof(node_t));
    LevelEdges edges{reinterpret_cast<const node_t*>(tree_.ends), nullptr};
    Array<node_t> ends;
    Array<rank_t> ranks;
    node_t begin = 0;
    node_t n_nodes = n_vertices();
    while (n_nodes > 1) {
      poll();
      level_begin_.push_back(begin);
      const node_t n_next = contract_level(edges, begin, n_nodes);
      auto next_ends = backend_.template array<node_t>(2 * std::int64_t{n_next - 1});
      auto next_ranks = backend_.template array<rank_t>(n_next - 1);
      backend_.for_each(n_nodes,
                        RenumberParent{nodes(), begin, root_index_.data(), begin + n_nodes});
      backend_.for_each(
          n_nodes - 1,
          PromoteEdge{edges, nodes(), merged_.data(), alpha_index_.data(), next_ends.data(),
                      next_ranks.data(), chain_.data(), not_tree_.data()});
      if (backend_.read(not_tree_.data()) != 0) return false;
      ends = std::move(next_ends);
      ranks = std::move(next_ranks);
      edges = {ends.data(), ranks.data()};
      begin += n_nodes;
      n_nodes = n_next;
    }
    level_begin_.push_back(begin);
    level_begin_.push_back(begin + 1);
    backend_.for_each(1, InitNode{nodes(), begin});
    root_index_ = {};
    alpha_index_ = {};
    return true;
  }

  /// Contracts the chosen edges of a level. Returns the number of nodes of the next level.
  node_t contract_level(const LevelEdges& edges, node_t begin, node_t n_nodes) {
    const std::int64_t n_edges = std::int64_t{n_nodes} - 1;
    if (begin == 0) {  // later levels are smaller
      root_index_ = backend_.template array<std::uint32_t>(std::int64_t{n_nodes} + 1);
      alpha_index_ = backend_.template array<std::uint32_t>(n_edges + 1);
    }
    backend_.for_each(n_nodes, InitNode{nodes(), begin});
    backend_.for_each(n_edges, LowerLightest{edges, nodes()});
    backend_.for_each(n_edges,
                      ContractLightest{edges, nodes(), merged_.data(), alpha_index_.data()});
    backend_.for_each(n_nodes, FindRoot{nodes(), begin, root_index_.data(), not_tree_.data()});
    backend_.scan(root_index_.data(), n_nodes);
    backend_.scan(alpha_index_.data(), n_edges);
    return backend_.read(root_index_.data() + n_nodes);
  }

  void write_rows(double* linkage) {
    const std::int64_t n_chains = level_begin_.back() - n_vertices();
    const auto sorted = backend_.sort_by_chain(chain_.data(), n_rows_, n_chains);
    auto begin = backend_.template array<std::uint32_t>(n_chains + 1);
    auto size = backend_.template array<std::uint32_t>(n_chains);
    const Chains<Order> chains{sorted.order(), begin.data(), size.data(), merged_.data(),
                               n_vertices()};
    backend_.for_each(n_rows_, MarkChainBegin<Order>{chains, n_rows_});
    std::vector<std::int64_t> first_rows;  // of each level
    for (std::size_t level = 1; level < level_begin_.size(); ++level) {
      first_rows.push_back(backend_.read(begin.data() + (level_begin_[level] - n_vertices())));
    }
    for (std::size_t level = 0; level + 1 < first_rows.size(); ++level) {
      poll();
      write_level(chains, first_rows[level], first_rows[level + 1], linkage);
    }
  }

  void write_level(const Chains<Order>& chains, std::int64_t first, std::int64_t last,
                   double* linkage) {
    auto vertices = backend_.template array<std::uint32_t>(last - first + 1);
    backend_.for_each(last - first, CountVertices<Order>{chains, first, vertices.data()});
    backend_.scan(vertices.data(), last - first);
    backend_.for_each(last - first,
                      WriteRow<Order>{chains, first, vertices.data(), tree_.heights, linkage});
  }

  const Backend& backend_;
  const RankedTree tree_;
  const std::int64_t n_rows_;
  Array<rank_t> lightest_;
  Array<node_t> parent_;
  Array<MergedNodes> merged_;         // of each row
  Array<node_t> chain_;               // of each row: the node at which its chain ends
  Array<std::uint32_t> root_index_;   // of each root of a level: its index in the next level
  Array<std::uint32_t> alpha_index_;  // of each alpha edge: its index in the next level
  Array<std::uint32_t> not_tree_;     // not 0: the edges are no tree
  std::vector<node_t> level_begin_;   // first node of each level
};

}  // namespace warpgraph::contraction
