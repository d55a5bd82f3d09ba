// The step of Boruvka's algorithm that joins trees, after every tree has chosen its lightest
// outgoing edge and so another tree, its target:
//   (a) Of two trees that chose the same edge, the one with the smaller number becomes a root.
//       Longer cycles are impossible, since the edges are totally ordered.
//   (b) Every other tree that chose is hooked to its target, and its edge joins the forest.
//   (c) Paths are flattened: the parent of every tree becomes its root.
//   (d) Roots are renumbered from 0, in the order of their numbers.
//
// join_trees does all four, with the same text on HostStep and DeviceStep. Methods that name a tree
// by a vertex take parts of it: is_root_of_pair and hook_along; UnionFind::compress and
// point_to_root; sweep_until_finished (device_step.cuh); number_components (canonical_labels.hpp).
//
// Other joins are inherently different. Pairs of points (k-d tree, brute force) and arcs
// (components) join trees that other threads are joining, so they need the compare-and-swap of
// UnionFind::hook. The rounds on a list of edges (filter_boruvka) find roots edge by edge, without
// (c) and (d).
#pragma once

#include "core/types.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpgraph::boruvka {

/// Returns whether a tree that chose `target` becomes a root by (a). chose_back() tells whether the
/// target chose the same edge.
template <class ChoseBack>
WARPGRAPH_HOST_DEVICE bool is_root_of_pair(vertex_t tree, vertex_t target, ChoseBack&& chose_back) {
  return tree < target && chose_back();
}

/// Does (a) and (b) for an edge between the roots a and b that one of them chose, or both.
template <class Vertex>
WARPGRAPH_HOST_DEVICE void hook_along(Vertex a, Vertex b, bool a_chose, bool b_chose,
                                      Vertex* parent) {
  const bool hooks_a = a_chose && (!b_chose || b < a);
  parent[hooks_a ? a : b] = hooks_a ? b : a;
}

/// The trees of a step, numbered from 0.
struct Trees {
  std::int64_t n_trees;
  std::int64_t n_vertices;
  vertex_t* tree_of;  // tree of each vertex
  vertex_t* parent;   // parent of each tree; after the step, its root's new number
  vertex_t* numbers;  // 1 for roots, then the number of roots before a tree; has one more item
};

template <class TargetOf>
struct HookTree {
  Trees trees;
  TargetOf target_of;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t i) const {
    if (i == trees.n_trees) {
      trees.numbers[i] = 0;
      return;
    }
    const auto tree = static_cast<vertex_t>(i);
    const vertex_t target = target_of(tree);
    const bool stays = target == no_vertex ||
                       is_root_of_pair(tree, target, [&] { return target_of(target) == tree; });
    trees.parent[i] = stays ? tree : target;
    trees.numbers[i] = stays ? 1 : 0;
  }
};

template <class Record>
struct RenumberTree {
  Trees trees;
  Record record;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t tree) const {
    const vertex_t root = trees.parent[tree];
    record(tree, root != tree, tree - trees.numbers[tree]);
    trees.parent[tree] = trees.numbers[root];
  }
};

struct RenumberVertex {
  Trees trees;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t v) const {
    trees.tree_of[v] = trees.parent[trees.tree_of[v]];
  }
};

/// Joins the trees. target_of(tree) is a tree's target, or no_vertex if it has not chosen. Calls
/// record(tree, is_hooked, i) for each tree, which is the i-th of the hooked ones. The last item of
/// `numbers` becomes the number of roots.
template <class Step, class TargetOf, class Record>
void join_trees(const Step& step, const Trees& trees, const TargetOf& target_of,
                const Record& record) {
  step.for_each(trees.n_trees + 1, HookTree<TargetOf>{trees, target_of});
  step.exclusive_sum(trees.numbers, trees.n_trees + 1);
  step.flatten(trees.parent, trees.n_trees);
  step.for_each(trees.n_trees, RenumberTree<Record>{trees, record});
  step.for_each(trees.n_vertices, RenumberVertex{trees});
}

/// Returns the new numbers of the trees with these targets, by the definition.
std::vector<vertex_t> join_trees_reference(std::span<const vertex_t> targets);

}  // namespace warpgraph::boruvka
