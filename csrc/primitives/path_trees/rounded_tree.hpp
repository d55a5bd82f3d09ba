// Completes the tree of a row of distances that are rounded sums in any order, after predecessors
// among strictly nearer vertices have been found. trees.hpp states the rule.
#pragma once

#include "core/containers/at.hpp"
#include "core/types.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace warpgraph::shortest_paths {

/// The algorithm with the buffers of one thread, which are reused for all its rows.
template <class W>
class RoundedTree {
 public:
  explicit RoundedTree(const CsrView<W>& graph)
      : graph_(graph),
        first_child_(size()),
        next_child_(size()),
        proposed_parent_(size()),
        in_tree_(size()) {}

  static std::size_t bytes_needed(const CsrPattern& graph) {
    return at(graph.n_vertices) * (5 * sizeof(vertex_t) + 1);
  }

  /// Completes the predecessors of a row. Calls keep_on() regularly; returns early with unusable
  /// predecessors if it returns false.
  template <class KeepOn>
  void complete(vertex_t source, const W* distances, vertex_t* predecessors,
                const KeepOn& keep_on) {
    distances_ = distances;
    predecessors_ = predecessors;
    list_children();
    std::fill(in_tree_.begin(), in_tree_.end(), char{0});
    std::fill(proposed_parent_.begin(), proposed_parent_.end(), no_vertex);
    tree_vertices_.clear();
    attach_subtree(source);
    W slack{0};
    while (true) {
      if (!grow(slack, keep_on)) return;
      const W least = least_slack(keep_on);
      if (least == infinity<W>()) return;
      slack = std::max(least, 2 * slack);
    }
  }

 private:
  [[nodiscard]] std::size_t size() const { return at(graph_.n_vertices); }
  void list_children() {
    std::fill(first_child_.begin(), first_child_.end(), no_vertex);
    for (vertex_t v = graph_.n_vertices - 1; v >= 0; --v) {
      const vertex_t parent = predecessors_[v];
      if (parent == no_vertex) continue;
      next_child_[at(v)] = first_child_[at(parent)];
      first_child_[at(parent)] = v;
    }
  }

  /// Adds a vertex that has a path to the source now, and its subtree, to the tree.
  void attach_subtree(vertex_t root) {
    std::size_t next = tree_vertices_.size();
    in_tree_[at(root)] = 1;
    tree_vertices_.push_back(root);
    for (; next < tree_vertices_.size(); ++next) {
      const vertex_t parent = tree_vertices_[next];
      for (vertex_t v = first_child_[at(parent)]; v != no_vertex; v = next_child_[at(v)]) {
        // Some have got another predecessor since list_children().
        if (in_tree_[at(v)] != 0 || predecessors_[v] != parent) continue;
        in_tree_[at(v)] = 1;
        tree_vertices_.push_back(v);
      }
    }
  }

  /// Calls visit(v, slack) for the arcs of u to reached vertices that are not in the tree.
  template <class Visit>
  void visit_arcs(vertex_t u, Visit&& visit) const {
    const W from = distances_[u];
    for (edge_t e = graph_.begin(u), end = graph_.end(u); e < end; ++e) {
      const vertex_t v = graph_.heads[e];
      if (in_tree_[at(v)] != 0 || distances_[v] == infinity<W>()) continue;
      const W through = from + weight_of(graph_, e);
      if (through != infinity<W>()) visit(v, through - distances_[v]);
    }
  }

  /// Attaches vertices over arcs of at most this slack, in rounds, until there are no such arcs.
  /// Returns false if keep_on() returned false.
  template <class KeepOn>
  bool grow(W slack, const KeepOn& keep_on) {
    std::vector<vertex_t>& found = found_;
    for (std::size_t first = 0, last = tree_vertices_.size(); first < last;) {
      found.clear();
      for (std::size_t i = first; i < last; ++i) {
        if (i % vertices_between_polls == 0 && !keep_on()) return false;
        const vertex_t u = tree_vertices_[i];
        visit_arcs(u, [&](vertex_t v, W arc_slack) {
          if (!(arc_slack <= slack)) return;
          if (proposed_parent_[at(v)] == no_vertex) found.push_back(v);
          if (proposed_parent_[at(v)] == no_vertex || u < proposed_parent_[at(v)])
            proposed_parent_[at(v)] = u;
        });
      }
      first = last;
      for (const vertex_t v : found) {
        if (in_tree_[at(v)] == 0) {
          predecessors_[v] = proposed_parent_[at(v)];
          attach_subtree(v);
        }
        proposed_parent_[at(v)] = no_vertex;
      }
      last = tree_vertices_.size();
    }
    return true;
  }

  /// Returns the least slack of the arcs that leave the tree; infinite if there are none.
  template <class KeepOn>
  [[nodiscard]] W least_slack(const KeepOn& keep_on) const {
    W least = infinity<W>();
    for (std::size_t i = 0; i < tree_vertices_.size(); ++i) {
      if (i % vertices_between_polls == 0 && !keep_on()) return infinity<W>();
      visit_arcs(tree_vertices_[i], [&](vertex_t, W slack) { least = std::min(least, slack); });
    }
    return least;
  }

  /// Number of vertices between polls: their arcs take a fraction of a millisecond, unless they are
  /// hubs.
  static constexpr std::size_t vertices_between_polls = 1 << 10;

  const CsrView<W> graph_;
  const W* distances_ = nullptr;
  vertex_t* predecessors_ = nullptr;
  std::vector<vertex_t> first_child_;
  std::vector<vertex_t> next_child_;
  std::vector<vertex_t> proposed_parent_;  // the smallest candidate of this round
  std::vector<char> in_tree_;              // 1 if predecessors lead to the source
  std::vector<vertex_t> tree_vertices_;    // the same vertices in the order of attaching
  std::vector<vertex_t> found_;
};

}  // namespace warpgraph::shortest_paths
