// Turns a forest into a tree: its edges from light to heavy, then edges of height inf that link its
// trees.
#pragma once

#include "algorithms/single_linkage/single_linkage.hpp"
#include "core/containers/union_find.hpp"

#include <cstdint>

namespace warpgraph::contraction {

/// A tree of n_vertices - 1 edges from light to heavy.
struct RankedTree {
  std::int64_t n_vertices = 0;
  const vertex_t* ends = nullptr;
  const double* heights = nullptr;
};

template <class Order>
struct GatherEdge {
  Order order;  // item(i): the edge at place i
  bool ordered;
  const vertex_t* ends;
  const double* weights;
  vertex_t* ends_out;
  double* heights;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t i) const noexcept {
    const std::int64_t e = ordered ? i : static_cast<std::int64_t>(order.item(i));
    ends_out[2 * i] = ends[2 * e];
    ends_out[2 * i + 1] = ends[2 * e + 1];
    heights[i] = weights[e];
  }
};

struct MakeSingleton {
  UnionFind sets;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t v) const noexcept {
    sets.make_singleton(static_cast<vertex_t>(v));
  }
};

struct UniteEnds {
  UnionFind sets;
  const vertex_t* ends;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t e) const noexcept {
    sets.unite(ends[2 * e], ends[2 * e + 1]);
  }
};

/// Marks the smallest vertex of every tree but that of vertex 0.
struct MarkTreeRoot {
  UnionFind sets;
  std::uint32_t* is_smallest;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t v) const noexcept {
    is_smallest[v] = v > 0 && sets.parent[v] == v ? 1 : 0;
  }
};

struct LinkTree {
  UnionFind sets;
  const std::uint32_t* tree_index;  // index of each marked tree
  vertex_t* ends;                   // of the edges that link trees
  double* heights;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t v) const noexcept {
    if (v == 0 || sets.parent[v] != v) return;
    const std::int64_t to = tree_index[v];
    ends[2 * to] = 0;
    ends[2 * to + 1] = static_cast<vertex_t>(v);
    heights[to] = infinity<double>();
  }
};

/// A forest that becomes a tree, by a backend: see TreeContraction.
template <class Backend>
class RankedForest {
 public:
  /// The forest must have fewer edges than vertices, and outlive this.
  RankedForest(const Backend& backend, const ForestView& forest)
      : backend_(backend),
        n_(forest.n_vertices),
        n_edges_(static_cast<std::int64_t>(forest.weights.size())),
        tree_{n_, forest.ends.data(), forest.weights.data()} {
    const auto order = backend.sort_by_weight(forest.weights.data(), n_edges_);
    if (!order && n_edges_ == n_ - 1) return;
    ends_ = backend.template array<vertex_t>(2 * (n_ - 1));
    heights_ = backend.template array<double>(n_ - 1);
    using Order = typename Backend::Order;
    backend.for_each(n_edges_,
                     GatherEdge<Order>{order ? order->order() : Order{}, !order, forest.ends.data(),
                                       forest.weights.data(), ends_.data(), heights_.data()});
    is_forest_ = n_edges_ == n_ - 1 || link_trees();
    tree_ = {n_, ends_.data(), heights_.data()};
  }

  /// An upper bound of the bytes per vertex, without those of the sort.
  static constexpr std::size_t bytes_per_vertex =
      2 * sizeof(vertex_t) + sizeof(double) + sizeof(vertex_t) + sizeof(std::uint32_t);

  /// Returns false if an edge is known to close a cycle. With n - 1 edges that is not known here:
  /// TreeContraction::run() finds the cycle.
  [[nodiscard]] bool is_forest() const noexcept { return is_forest_; }
  [[nodiscard]] const RankedTree& tree() const noexcept { return tree_; }

 private:
  /// Links vertex 0 with the smallest vertex of every other tree. Returns false if the numbers of
  /// trees and edges do not match, that is, if there is a cycle.
  bool link_trees() {
    auto parent = backend_.template array<vertex_t>(n_);
    auto tree_index = backend_.template array<std::uint32_t>(n_ + 1);
    const UnionFind sets{parent.data()};
    backend_.for_each(n_, MakeSingleton{sets});
    backend_.for_each(n_edges_, UniteEnds{sets, ends_.data()});
    backend_.for_each(n_, MarkTreeRoot{sets, tree_index.data()});
    backend_.scan(tree_index.data(), n_);
    const std::int64_t n_links = backend_.read(tree_index.data() + n_);
    if (n_edges_ + n_links != n_ - 1) return false;
    backend_.for_each(n_, LinkTree{sets, tree_index.data(), ends_.data() + 2 * n_edges_,
                                   heights_.data() + n_edges_});
    return true;
  }

  const Backend& backend_;
  std::int64_t n_;
  std::int64_t n_edges_;
  RankedTree tree_;
  typename Backend::template Array<vertex_t> ends_;
  typename Backend::template Array<double> heights_;
  bool is_forest_ = true;
};

}  // namespace warpgraph::contraction
