// A forest as a tree: its edges from light to heavy, then those at height inf that join its trees.
#pragma once

#include "algorithms/single_linkage/single_linkage.hpp"
#include "core/containers/union_find.hpp"

#include <cstdint>

namespace warpgraph::contraction {

/// n_vertices - 1 edges from light to heavy.
struct RankedTree {
  std::int64_t n_vertices = 0;
  const vertex_t* ends = nullptr;
  const double* heights = nullptr;
};

template <class Order>
struct TakeEdge {
  Order order;  // rank(i): the edge that comes i-th
  bool ordered;
  const vertex_t* ends;
  const double* weights;
  vertex_t* ends_out;
  double* heights;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t i) const noexcept {
    const std::int64_t e = ordered ? i : static_cast<std::int64_t>(order.rank(i));
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

/// The smallest vertex of every tree but the first one.
struct MarkTree {
  UnionFind sets;
  std::uint32_t* is_first;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t v) const noexcept {
    is_first[v] = v > 0 && sets.parent[v] == v ? 1 : 0;
  }
};

struct JoinTree {
  UnionFind sets;
  const std::uint32_t* number;  // of each tree among those marked
  vertex_t* ends;               // of the edges that join trees
  double* heights;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t v) const noexcept {
    if (v == 0 || sets.parent[v] != v) return;
    const std::int64_t to = number[v];
    ends[2 * to] = 0;
    ends[2 * to + 1] = static_cast<vertex_t>(v);
    heights[to] = infinity<double>();
  }
};

/// Machine: see TreeContraction.
template <class Machine>
class RankedForest {
 public:
  /// The forest must have an edge fewer than vertices, or still fewer, and outlive this.
  RankedForest(const Machine& machine, const ForestView& forest)
      : machine_(machine),
        n_(forest.n_vertices),
        n_edges_(static_cast<std::int64_t>(forest.weights.size())),
        tree_{n_, forest.ends.data(), forest.weights.data()} {
    const auto order = machine.sort_by_weight(forest.weights.data(), n_edges_);
    if (!order && n_edges_ == n_ - 1) return;
    ends_ = machine.template array<vertex_t>(2 * (n_ - 1));
    heights_ = machine.template array<double>(n_ - 1);
    using Order = typename Machine::Order;
    machine.for_each(n_edges_,
                     TakeEdge<Order>{order ? order->order() : Order{}, !order, forest.ends.data(),
                                     forest.weights.data(), ends_.data(), heights_.data()});
    is_forest_ = n_edges_ == n_ - 1 || join_trees();
    tree_ = {n_, ends_.data(), heights_.data()};
  }

  /// Bytes that it takes for each vertex, at most, beside what the sort takes.
  static constexpr std::size_t bytes_per_vertex =
      2 * sizeof(vertex_t) + sizeof(double) + sizeof(vertex_t) + sizeof(std::uint32_t);

  /// False: an edge closes a cycle. True: the tree may have one in spite of that.
  [[nodiscard]] bool is_forest() const noexcept { return is_forest_; }
  [[nodiscard]] const RankedTree& tree() const noexcept { return tree_; }

 private:
  /// Joins vertex 0 with the smallest vertex of every other tree; false if that is too few trees
  /// for so few edges.
  bool join_trees() {
    auto parent = machine_.template array<vertex_t>(n_);
    auto number = machine_.template array<std::uint32_t>(n_ + 1);
    const UnionFind sets{parent.data()};
    machine_.for_each(n_, MakeSingleton{sets});
    machine_.for_each(n_edges_, UniteEnds{sets, ends_.data()});
    machine_.for_each(n_, MarkTree{sets, number.data()});
    machine_.scan(number.data(), n_);
    const std::int64_t n_joins = machine_.read(number.data() + n_);
    if (n_edges_ + n_joins != n_ - 1) return false;
    machine_.for_each(
        n_, JoinTree{sets, number.data(), ends_.data() + 2 * n_edges_, heights_.data() + n_edges_});
    return true;
  }

  const Machine& machine_;
  std::int64_t n_;
  std::int64_t n_edges_;
  RankedTree tree_;
  typename Machine::template Array<vertex_t> ends_;
  typename Machine::template Array<double> heights_;
  bool is_forest_ = true;
};

}  // namespace warpgraph::contraction
