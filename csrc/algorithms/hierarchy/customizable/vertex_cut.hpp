// A minimum set of vertices that separates two sets, by maximum flow.
#pragma once

#include "algorithms/hierarchy/customizable/sparse_graph.hpp"
#include "core/interrupt.hpp"

namespace warpgraph::hierarchy_detail {

/// Dinic's algorithm for vertex-disjoint paths. A vertex is split in two, its `entry` and its
/// `exit`, joined by an arc of capacity 1; edges join exits to entries. The flow is kept as paths:
/// each vertex is on one path at most, and knows its neighbours there.
class VertexCut {
 public:
  enum Side : std::uint8_t { between, source, sink };

  /// sides[v] says to which set a vertex belongs. Sinks may be in the cut, sources not.
  VertexCut(const SparseGraph& graph, const std::vector<Side>& sides)
      : graph_(graph), sides_(sides), nodes_(at(graph.size())), next_arc_(at(graph.size())) {
    for (vertex_t v = 0; v < graph.size(); ++v) {
      if (sides[at(v)] == source) sources_.push_back(v);
    }
  }

  /// Returns the size of the cut, or a number beyond `most` if it is larger than that.
  std::int64_t run(std::int64_t most) {
    while (n_paths_ <= most && find_levels()) {
      for (vertex_t v = 0; v < graph_.size(); ++v) next_arc_[at(v)] = graph_.offsets[at(v)];
      for (const vertex_t v : sources_) {
        while (n_paths_ <= most && augment(v)) ++n_paths_;
      }
    }
    return n_paths_;
  }

  /// Returns whether a vertex is in the cut that run() has found: paths from the sources reach its
  /// entry, but not its exit.
  [[nodiscard]] bool in_cut(vertex_t v) const {
    return nodes_[at(v)].entry >= 0 && nodes_[at(v)].exit < 0;
  }
  /// Returns whether a vertex is on the side of the sources.
  [[nodiscard]] bool near_sources(vertex_t v) const {
    return sides_[at(v)] == source || nodes_[at(v)].exit >= 0;
  }

 private:
  static constexpr vertex_t to_sink = -2;
  struct Node {
    vertex_t previous = no_vertex;  // on the vertex's path; no_vertex if it is on none
    vertex_t next = no_vertex;      // to_sink at its end
    // Levels of the breadth-first search, or -1.
    std::int32_t entry = -1;
    std::int32_t exit = -1;
  };
  [[nodiscard]] bool has_flow(vertex_t v) const { return nodes_[at(v)].previous != no_vertex; }
  [[nodiscard]] bool is_source(vertex_t v) const { return sides_[at(v)] == source; }

  /// Sets the levels. Returns whether a path from a source to a sink is left.
  bool find_levels() {
    for (Node& node : nodes_) node.entry = node.exit = -1;
    queue_.clear();
    for (const vertex_t v : sources_) {
      nodes_[at(v)].exit = 0;
      queue_.push_back(v);
    }
    last_level_ = -1;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      occasional_poll_();
      const vertex_t u = queue_[i];
      const std::int32_t level = nodes_[at(u)].exit;
      if (last_level_ >= 0 && level >= last_level_) break;
      for (const vertex_t* w = graph_.begin(u); w != graph_.end(u); ++w) {
        if (!is_source(*w) && *w != nodes_[at(u)].next) enter(*w, level + 1);
      }
      if (!is_source(u) && has_flow(u)) enter(u, level + 1);
    }
    return last_level_ >= 0;
  }
  /// Reaches an entry, and the exit to which the only residual arc leads from there.
  void enter(vertex_t v, std::int32_t level) {
    Node& node = nodes_[at(v)];
    if (node.entry >= 0) return;
    node.entry = level;
    const vertex_t exit = has_flow(v) ? node.previous : v;
    if (is_source(exit) || nodes_[at(exit)].exit >= 0) return;
    nodes_[at(exit)].exit = level;
    queue_.push_back(exit);
    if (exit == v && sides_[at(v)] == sink && last_level_ < 0) last_level_ = level;
  }

  /// A step of a path: from the exit of `from` to the entry of `through` and from there to an exit.
  struct Step {
    vertex_t from;
    vertex_t through;
  };

  /// Finds a path of ascending levels from a source to a sink, and adds it to the flow.
  bool augment(vertex_t start) {
    steps_.clear();
    vertex_t u = start;
    for (;;) {
      occasional_poll_();
      if (!is_source(u) && sides_[at(u)] == sink && !has_flow(u)) {
        apply(u);
        return true;
      }
      const vertex_t through = advance(u);
      if (through != no_vertex) {
        steps_.push_back({u, through});
        u = has_flow(through) ? nodes_[at(through)].previous : through;
        continue;
      }
      if (u == start) return false;
      u = steps_.back().from;  // a dead end: advance(u) has gone past it
      steps_.pop_back();
    }
  }
  /// Returns the next entry through which a path may lead from u's exit. Each is tried once: its
  /// level is erased.
  vertex_t advance(vertex_t u) {
    const Node& from = nodes_[at(u)];
    edge_t& e = next_arc_[at(u)];
    for (; e < graph_.offsets[at(u) + 1]; ++e) {
      const vertex_t w = graph_.heads[at(e)];
      if (!is_source(w) && w != from.next && leads_on(w, from.exit)) return w;
    }
    if (!is_source(u) && has_flow(u) && leads_on(u, from.exit)) return u;
    return no_vertex;
  }
  /// Returns whether a path leads on from an exit of this level through w's entry.
  bool leads_on(vertex_t w, std::int32_t level) {
    Node& node = nodes_[at(w)];
    if (node.entry != level + 1) return false;
    const vertex_t exit = has_flow(w) ? node.previous : w;
    if (is_source(exit) || nodes_[at(exit)].exit != node.entry) return false;
    node.entry = -1;
    return true;
  }
  /// Adds the path of the steps, which ends at the sink `end`, to the flow.
  void apply(vertex_t end) {
    for (const auto& [u, through] : steps_) {
      Node& node = nodes_[at(through)];
      if (u == through) {  // its own path no longer leads through it
        node.previous = node.next = no_vertex;
        continue;
      }
      if (!is_source(u)) nodes_[at(u)].next = through;
      node.previous = u;
    }
    nodes_[at(end)].next = to_sink;
  }

  const SparseGraph& graph_;
  const std::vector<Side>& sides_;
  std::vector<Node> nodes_;
  std::vector<edge_t> next_arc_;
  std::vector<vertex_t> sources_;
  std::vector<vertex_t> queue_;
  std::vector<Step> steps_;
  OccasionalPoll occasional_poll_;
  std::int64_t n_paths_ = 0;
  std::int32_t last_level_ = -1;
};

}  // namespace warpgraph::hierarchy_detail
