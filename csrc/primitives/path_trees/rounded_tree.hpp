// A tree for a row of distances whose sums were rounded in any order: what is left when all
// vertices that have one hang below a strictly nearer one. The rule stands in trees.hpp.
#pragma once

#include "core/types.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace warpgraph::shortest_paths {

/// What one thread needs for row after row.
template <class W>
class RoundedTree {
 public:
  explicit RoundedTree(const CsrView<W>& graph)
      : graph_(graph), first_child_(size()), next_child_(size()), offered_(size()), home_(size()) {}

  static std::size_t bytes_needed(const CsrPattern& graph) {
    return static_cast<std::size_t>(graph.n_vertices) * (5 * sizeof(vertex_t) + 1);
  }

  /// Completes the predecessors of a row. `keep_on` is asked now and then; after a no they are of
  /// no use.
  template <class KeepOn>
  void complete(vertex_t source, const W* distances, vertex_t* predecessors,
                const KeepOn& keep_on) {
    distances_ = distances;
    predecessors_ = predecessors;
    list_children();
    std::fill(home_.begin(), home_.end(), char{0});
    std::fill(offered_.begin(), offered_.end(), no_vertex);
    at_home_.clear();
    bring_home(source);
    W slack{0};
    while (true) {
      if (!spread(slack, keep_on)) return;
      const W least = least_slack(keep_on);
      if (least == infinity<W>()) return;
      slack = std::max(least, 2 * slack);
    }
  }

 private:
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(graph_.n_vertices); }
  template <class Index>
  static std::size_t at(Index v) {
    return static_cast<std::size_t>(v);
  }

  void list_children() {
    std::fill(first_child_.begin(), first_child_.end(), no_vertex);
    for (vertex_t v = graph_.n_vertices - 1; v >= 0; --v) {
      const vertex_t parent = predecessors_[v];
      if (parent == no_vertex) continue;
      next_child_[at(v)] = first_child_[at(parent)];
      first_child_[at(parent)] = v;
    }
  }

  /// v has a path to the source now, and so has every vertex of the branch that hangs there.
  void bring_home(vertex_t root) {
    std::size_t next = at_home_.size();
    home_[at(root)] = 1;
    at_home_.push_back(root);
    for (; next < at_home_.size(); ++next) {
      const vertex_t parent = at_home_[next];
      for (vertex_t v = first_child_[at(parent)]; v != no_vertex; v = next_child_[at(v)]) {
        // Some have left for another branch.
        if (home_[at(v)] != 0 || predecessors_[v] != parent) continue;
        home_[at(v)] = 1;
        at_home_.push_back(v);
      }
    }
  }

  /// visit(v, slack) for the arcs of u to reached vertices that are not at home.
  template <class Visit>
  void visit_arcs(vertex_t u, Visit&& visit) const {
    const W from = distances_[u];
    for (edge_t e = graph_.begin(u), end = graph_.end(u); e < end; ++e) {
      const vertex_t v = graph_.heads[e];
      if (home_[at(v)] != 0 || distances_[v] == infinity<W>()) continue;
      const W through = from + weight_of(graph_, e);
      if (through != infinity<W>()) visit(v, through - distances_[v]);
    }
  }

  /// Joins what arcs of this slack lead to, round after round. False if told to stop.
  template <class KeepOn>
  bool spread(W slack, const KeepOn& keep_on) {
    std::vector<vertex_t>& found = found_;
    for (std::size_t first = 0, last = at_home_.size(); first < last;) {
      found.clear();
      for (std::size_t i = first; i < last; ++i) {
        if (i % vertices_between_looks == 0 && !keep_on()) return false;
        const vertex_t u = at_home_[i];
        visit_arcs(u, [&](vertex_t v, W more) {
          if (!(more <= slack)) return;
          if (offered_[at(v)] == no_vertex) found.push_back(v);
          if (offered_[at(v)] == no_vertex || u < offered_[at(v)]) offered_[at(v)] = u;
        });
      }
      first = last;
      for (const vertex_t v : found) {
        if (home_[at(v)] == 0) {
          predecessors_[v] = offered_[at(v)];
          bring_home(v);
        }
        offered_[at(v)] = no_vertex;
      }
      last = at_home_.size();
    }
    return true;
  }

  /// Over the arcs that lead on from the tree; infinite if there are none.
  template <class KeepOn>
  [[nodiscard]] W least_slack(const KeepOn& keep_on) const {
    W least = infinity<W>();
    for (std::size_t i = 0; i < at_home_.size(); ++i) {
      if (i % vertices_between_looks == 0 && !keep_on()) return infinity<W>();
      visit_arcs(at_home_[i], [&](vertex_t, W slack) { least = std::min(least, slack); });
    }
    return least;
  }

  /// Arcs of so many vertices are a fraction of a millisecond, unless they are hubs.
  static constexpr std::size_t vertices_between_looks = 1 << 10;

  const CsrView<W> graph_;
  const W* distances_ = nullptr;
  vertex_t* predecessors_ = nullptr;
  std::vector<vertex_t> first_child_;
  std::vector<vertex_t> next_child_;
  std::vector<vertex_t> offered_;  // the smallest vertex of this round that would take it
  std::vector<char> home_;         // whether predecessors lead to the source
  std::vector<vertex_t> at_home_;  // those, in the order in which they came
  std::vector<vertex_t> found_;
};

}  // namespace warpgraph::shortest_paths
