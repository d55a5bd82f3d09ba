// What the searches share: their arcs and reports of progress; and the visits of the depth-first
// search. Not for use outside this folder.
#pragma once

#include "algorithms/traversal/traversal.hpp"
#include "core/interrupt.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"

#include <algorithm>
#include <limits>

namespace warpgraph::traversal_detail {

/// The arcs of a search: those that leave each vertex, then those that enter it, as arcs of the
/// transposed graph. `entering` has no heads if those are not followed.
struct FollowedArcs {
  CsrPattern leaving;
  CsrPattern entering;
  [[nodiscard]] bool both_ways() const noexcept { return entering.heads != nullptr; }
};

/// Calls search(arcs, budget) with arcs that are followed both ways. Makes the
/// entering arcs by a counting sort on the calling thread: the search takes longer, and runs on one
/// thread, too. Loops are kept: they lead to no new vertex.
template <class Offset, class Search>
vertex_t search_both_ways(const CsrPattern& graph, MemoryBudget budget, Search&& search) {
  constexpr edge_t arcs_between_polls = 1 << 16;
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  const auto n_arcs = static_cast<std::size_t>(graph.n_arcs);
  const std::size_t taken = (n + 2) * sizeof(Offset) + n_arcs * sizeof(vertex_t);
  const MemoryBudget left =
      budget.charge("a search in both directions", taken, "use a smaller graph");
  // The row of v is at first counted at v + 2. Then starts[v + 1] is where it starts, and after the
  // last arc has been written, where it ends.
  HostVector<Offset> starts(n + 2, Offset{0});
  HostVector<vertex_t> tails(n_arcs);
  for (edge_t e = 0; e < graph.n_arcs; ++e) {
    if (e % arcs_between_polls == 0) poll();
    ++starts[static_cast<std::size_t>(graph.heads[e]) + 2];
  }
  for (std::size_t v = 2; v < n + 2; ++v) starts[v] += starts[v - 1];
  Offset* const next = starts.data() + 1;
  edge_t next_poll = 0;
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    const edge_t end = graph.end(u);
    if (end >= next_poll) {
      poll();
      next_poll = end + arcs_between_polls;
    }
    for (edge_t e = graph.begin(u); e < end; ++e) {
      tails[static_cast<std::size_t>(next[graph.heads[e]]++)] = u;
    }
  }
  CsrPattern entering{graph.n_vertices, graph.n_arcs, Offsets(starts.data()), tails.data()};
  return search(FollowedArcs{graph, entering}, left);
}

/// Calls search(arcs, budget) with all arcs in the directions that the options
/// name. Whether every arc is stored both ways is not tested: that takes as long as sorting them.
template <class Search>
vertex_t search_in_directions(const CsrPattern& graph, const TraversalOptions& options,
                              Search&& search) {
  if (options.directed || graph.n_arcs == 0) {
    return search(FollowedArcs{graph, {}}, options.budget);
  }
  return graph.n_arcs <= std::numeric_limits<std::int32_t>::max()
             ? search_both_ways<std::int32_t>(graph, options.budget, search)
             : search_both_ways<std::int64_t>(graph, options.budget, search);
}

/// Calls search() with all arcs in these directions, and reports the end: vertices that are not
/// reached are done with, too.
template <class Search>
vertex_t search_along(const CsrPattern& graph, const TraversalOptions& options, Search&& search) {
  const vertex_t n_visited = search_in_directions(graph, options, search);
  report_progress(graph.n_vertices, graph.n_vertices);
  return n_visited;
}

/// Reports the vertices that a search has visited; search_along reports that all are done.
inline void report_visits(vertex_t n_visited, vertex_t n_vertices) {
  report_progress(std::min(n_visited, n_vertices - 1), n_vertices);
}

/// Visited vertices of a depth-first search, in their order and as a set; and their predecessors,
/// unless that span is empty.
class Visits {
 public:
  Visits(vertex_t n_vertices, vertex_t missing, std::span<vertex_t> order,
         std::span<vertex_t> predecessors)
      : n_vertices_(n_vertices),
        missing_(missing),
        visited_(static_cast<std::size_t>(n_vertices), std::uint8_t{0}),
        order_(order.data()),
        predecessors_(predecessors.empty() ? nullptr : predecessors.data()) {
    std::fill(predecessors.begin(), predecessors.end(), missing);
  }

  static constexpr std::size_t bytes(vertex_t n_vertices) {
    return static_cast<std::size_t>(n_vertices);
  }

  [[nodiscard]] bool has(vertex_t v) const { return visited_[static_cast<std::size_t>(v)] != 0; }
  void add_source(vertex_t v) { add(v, missing_); }
  void add(vertex_t v, vertex_t predecessor) {
    visited_[static_cast<std::size_t>(v)] = 1;
    order_[size_++] = v;
    if (predecessors_ != nullptr) predecessors_[v] = predecessor;
  }

  [[nodiscard]] vertex_t size() const noexcept { return size_; }
  /// Returns whether all vertices are visited.
  [[nodiscard]] bool is_full() const noexcept { return size_ == n_vertices_; }
  [[nodiscard]] vertex_t operator[](vertex_t place) const noexcept { return order_[place]; }

  /// Counts work, in arcs; once in a while reports progress and checks for Ctrl-C.
  void count(edge_t n_arcs) {
    work_left_ -= n_arcs + 1;
    if (work_left_ >= 0) return;
    work_left_ = work_between_reports;
    report_visits(size_, n_vertices_);
  }

 private:
  static constexpr edge_t work_between_reports = 1 << 16;

  const vertex_t n_vertices_;
  const vertex_t missing_;
  HostVector<std::uint8_t> visited_;
  vertex_t* const order_;
  vertex_t* const predecessors_;
  vertex_t size_ = 0;
  edge_t work_left_ = work_between_reports;
};

}  // namespace warpgraph::traversal_detail
