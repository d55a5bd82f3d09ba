// The dependencies of a source on vertices or arcs, by Dijkstra's algorithm. Not for use outside
// this folder.
#pragma once

#include "algorithms/betweenness/path_counts.hpp"
#include "core/containers/heap.hpp"
#include "core/error.hpp"
#include "primitives/relaxation/overflow.hpp"
#include "primitives/relaxation/relax.hpp"

namespace warpgraph::betweenness {

template <class W, bool of_arcs>
class DistanceSearch {
 public:
  DistanceSearch(const CsrView<W>& graph, const PathEnds& ends, W limit)
      : graph_(graph),
        ends_(ends),
        limit_(limit),
        distances_(graph.n_vertices),
        counts_(graph.n_vertices),
        parts_(graph.n_vertices),
        settled_(graph.n_vertices),
        touched_(graph.n_vertices),
        heap_(graph.n_vertices) {
    std::fill_n(distances_.get(), graph.n_vertices, infinity<W>());
    std::fill_n(parts_.get(), graph.n_vertices, 0.0);
  }
  static std::size_t bytes_needed(const CsrPattern& graph) {
    constexpr std::size_t per_vertex =
        sizeof(W) + 2 * sizeof(double) + 2 * sizeof(vertex_t) + LongCounts::bytes_a_vertex;
    return static_cast<std::size_t>(graph.n_vertices) * per_vertex +
           RadixHeap<W>::bytes_needed(graph.n_vertices, static_cast<std::size_t>(graph.n_arcs + 1));
  }

  /// Adds the dependencies of a source to the totals. Returns false, with the totals incomplete, as
  /// soon as keep_on() has returned false.
  template <class KeepOn>
  bool run(vertex_t source, const Totals<of_arcs>& totals, const KeepOn& keep_on) {
    if (!settle_all(source, keep_on)) return false;
    if (is_inexact_ && !count_in_order(keep_on)) return false;
    if (!add_dependencies(totals, keep_on)) return false;
    const vertex_t n_ends =
        ends_.are_all() ? n_settled_ - 1 : ends_.number_beside(source) - n_ends_left_;
    totals.add_paths(source, n_ends);
    for (vertex_t i = 0; i < n_touched_; ++i) distances_[touched_[i]] = infinity<W>();
    for (vertex_t i = 0; i < n_settled_; ++i) parts_[settled_[i]] = 0;
    return true;
  }

 private:
  static constexpr vertex_t vertices_between_polls = 1024;

  template <class KeepOn>
  bool settle_all(vertex_t source, const KeepOn& keep_on) {
    is_inexact_ = is_long_ = saturates_ = false;
    n_settled_ = 0;
    n_ends_left_ = ends_.are_all() ? graph_.n_vertices : ends_.number_beside(source);
    distances_[source] = 0;
    counts_[source] = 1;
    touched_[0] = source;
    n_touched_ = 1;
    heap_.push(source, W{0}, distances_.get());
    while (!heap_.empty()) {
      const auto [at, u] = heap_.pop();
      if (distances_[u] < at) continue;  // outdated: the vertex has been settled
      if (n_settled_ % vertices_between_polls == 0 && !keep_on()) return false;
      settled_[n_settled_++] = u;
      if (u != source && !ends_.are_all() && ends_.has(u) && --n_ends_left_ == 0) break;
      relax_row(u, at);
    }
    heap_.clear();
    if (saturates_ && n_ends_left_ > 0 && limit_ == infinity<W>()) {
      shortest_paths::check_overflow<W>(
          graph_, {distances_.get(), static_cast<std::size_t>(graph_.n_vertices)});
    }
    return true;
  }

  void relax_row(vertex_t u, W at) {
    const double count = counts_[u];
    for (edge_t e = graph_.begin(u), end = graph_.end(u); e < end; ++e) {
      const vertex_t v = graph_.heads[e];
      const W weight = graph_.weights[e];
      const W through = shortest_paths::extend_non_negative(at, weight);
      const W before = distances_[v];
      if (before < through || through > limit_) continue;
      if (through == infinity<W>()) {
        saturates_ |= std::is_integral_v<W> && weight != infinity<W>();
      } else if (through == at) {
        refuse_lost_weight(u, v);
      } else if (through < before) {
        if (before == infinity<W>()) touched_[n_touched_++] = v;
        distances_[v] = through;
        counts_[v] = count;
        heap_.push(v, through, distances_.get());
      } else {
        is_inexact_ |= (counts_[v] += count) >= inexact_count;
      }
    }
  }

  /// Throws for an arc, unless it is a loop, whose weight is lost in the sum: a path of no smaller
  /// number of arcs would be as long, in both directions perhaps.
  static void refuse_lost_weight(vertex_t u, vertex_t v) { EXPECTS(u == v, lost_weight); }

  /// Counts paths anew, in the order that betweenness.hpp defines.
  template <class KeepOn>
  bool count_in_order(const KeepOn& keep_on) {
    if (long_counts_.is_empty()) long_counts_ = LongCounts(graph_.n_vertices);
    std::sort(settled_.get(), settled_.get() + n_settled_, [&](vertex_t a, vertex_t b) {
      return distances_[a] < distances_[b] || (distances_[a] == distances_[b] && a < b);
    });
    for (vertex_t i = 0; i < n_touched_; ++i) {
      counts_[touched_[i]] = i == 0 ? 1 : 0;  // the source is the first
      long_counts_.set(touched_[i]);
    }
    for (vertex_t i = 0; i < n_settled_; ++i) {
      if (i % vertices_between_polls == 0 && !keep_on()) return false;
      const vertex_t u = settled_[i];
      is_long_ |= long_counts_.shorten(counts_.get(), u);
      for (edge_t e = graph_.begin(u), end = graph_.end(u); e < end; ++e) {
        const vertex_t v = graph_.heads[e];
        if (is_on_paths(u, v, e)) long_counts_.add(counts_.get(), u, v);
      }
    }
    return true;
  }

  [[nodiscard]] bool is_on_paths(vertex_t u, vertex_t v, edge_t e) const {
    const W through = shortest_paths::extend_non_negative(distances_[u], graph_.weights[e]);
    return u != v && through == distances_[v] && through != infinity<W>();
  }

  /// Goes back from the farthest vertex.
  template <class KeepOn>
  bool add_dependencies(const Totals<of_arcs>& totals, const KeepOn& keep_on) {
    constexpr vertex_t nearest = of_arcs ? 0 : 1;  // a source has no dependency on itself
    for (vertex_t i = n_settled_; i-- > nearest;) {
      if (i % vertices_between_polls == 0 && !keep_on()) return false;
      const vertex_t u = settled_[i];
      const auto part_of = [distances = distances_.get(), parts = parts_.get(),
                            weights = graph_.weights, at = distances_[u]](vertex_t v, edge_t e) {
        const W through = shortest_paths::extend_non_negative(at, weights[e]);
        return through == distances[v] ? parts[v] : 0.0;
      };
      if (is_long_) {
        add_dependency(u, totals, [&](vertex_t v, edge_t e) {
          const double part = part_of(v, e);
          return part == 0 ? 0 : part * long_counts_.quotient(u, v);
        });
      } else {
        add_dependency(u, totals, part_of);
      }
    }
    return true;
  }

  /// Adds the dependency on a vertex. parts_ has (1 + dependency) / count of farther vertices.
  template <class PartOf>
  void add_dependency(vertex_t u, const Totals<of_arcs>& totals, const PartOf& part_of) {
    const double count = counts_[u];
    const double dependency = count * sum_row(graph_, u, part_of);
    const bool is_end = ends_.has(u);
    totals.add(graph_, u, count, dependency, is_end, part_of);
    parts_[u] = ((is_end ? 1 : 0) + dependency) / count;
  }

  const CsrView<W> graph_;
  const PathEnds& ends_;
  const W limit_;
  HostArray<W> distances_;
  HostArray<double> counts_;
  HostArray<double> parts_;
  HostArray<vertex_t> settled_;  // in the order of their distances
  HostArray<vertex_t> touched_;  // those with a finite distance
  RadixHeap<W> heap_;
  vertex_t n_settled_ = 0;
  vertex_t n_touched_ = 0;
  vertex_t n_ends_left_ = 0;
  LongCounts long_counts_;
  bool is_inexact_ = false;  // counts reach 2^53
  bool is_long_ = false;     // counts have exponents
  bool saturates_ = false;   // an integer path is too long for W
};

}  // namespace warpgraph::betweenness
