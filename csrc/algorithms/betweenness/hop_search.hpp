// The dependencies of a source on vertices or arcs, if all arcs have length 1: level by level, by
// one thread or, if it is shared, by all. Not for use outside this folder.
#pragma once

#include "algorithms/betweenness/path_counts.hpp"
#include "core/atomics.hpp"
#include "core/threads/parallel.hpp"

#include <array>
#include <atomic>

namespace warpgraph::betweenness {

template <bool is_shared, bool of_arcs>
class HopSearch {
 public:
  HopSearch(const CsrPattern& graph, const PathEnds& ends, vertex_t limit)
      : graph_(graph),
        ends_(ends),
        limit_(limit),
        hops_(graph.n_vertices),
        counts_(graph.n_vertices),
        parts_(graph.n_vertices),
        next_parts_(graph.n_vertices),
        order_(graph.n_vertices) {
    std::fill_n(hops_.get(), graph.n_vertices, not_reached);
    std::fill_n(counts_.get(), graph.n_vertices, 0.0);
    std::fill_n(parts_.get(), graph.n_vertices, 0.0);
  }
  static std::size_t bytes_needed(const CsrPattern& graph) {
    // Levels may be as many as vertices, and a vector twice as long as its items.
    constexpr std::size_t per_vertex = 2 * sizeof(vertex_t) + 3 * sizeof(double) +
                                       3 * sizeof(vertex_t) + LongCounts::bytes_a_vertex;
    return static_cast<std::size_t>(graph.n_vertices) * per_vertex;
  }

  /// Adds the dependencies of a source. Stops, and returns false, if keep_on() has.
  template <class KeepOn>
  bool run(vertex_t source, const Totals<of_arcs>& totals, const KeepOn& keep_on) {
    if (!find_levels(source, keep_on)) return false;
    if (is_inexact_ && !count_in_order(keep_on)) return false;
    if (!add_dependencies(totals, keep_on)) return false;
    const vertex_t n_ends =
        ends_.are_all() ? n_reached_ - 1 : ends_.number_beside(source) - n_ends_left_;
    totals.add_paths(source, n_ends);
    for_each(0, n_reached_, keep_on, [&](vertex_t i) {
      hops_[order_[i]] = not_reached;
      counts_[order_[i]] = 0;
    });
    return true;
  }

 private:
  static constexpr vertex_t not_reached = -1;
  static constexpr vertex_t vertices_between_polls = 1024;
  static constexpr std::int64_t vertices_a_block = 128;  // of a level that threads share

  [[nodiscard]] vertex_t n_levels() const { return static_cast<vertex_t>(starts_.size()) - 1; }
  [[nodiscard]] vertex_t start(vertex_t level) const {
    return starts_[static_cast<std::size_t>(level)];
  }

  /// Calls visit(first, last) for blocks of the positions of order_. Returns false if keep_on()
  /// has.
  template <class KeepOn, class Visit>
  bool for_each_block(vertex_t first, vertex_t last, const KeepOn& keep_on, const Visit& visit) {
    if constexpr (is_shared) {
      parallel_blocks(
          last - first, vertices_a_block, [&](int, std::int64_t begin, std::int64_t end) {
            visit(first + static_cast<vertex_t>(begin), first + static_cast<vertex_t>(end));
          });
    } else {
      for (vertex_t begin = first; begin < last;) {
        if (unpolled_ >= vertices_between_polls) {
          unpolled_ = 0;
          if (!keep_on()) return false;
        }
        const vertex_t n = std::min(last - begin, vertices_between_polls);
        visit(begin, begin + n);
        unpolled_ += n;
        begin += n;
      }
    }
    return true;
  }
  template <class KeepOn, class Visit>
  bool for_each(vertex_t first, vertex_t last, const KeepOn& keep_on, const Visit& visit) {
    return for_each_block(first, last, keep_on, [&](vertex_t begin, vertex_t end) {
      for (vertex_t i = begin; i < end; ++i) visit(i);
    });
  }

  template <class KeepOn>
  bool find_levels(vertex_t source, const KeepOn& keep_on) {
    is_inexact_ = is_long_ = false;
    hops_[source] = 0;
    counts_[source] = 1;
    order_[0] = source;
    n_reached_ = 1;
    starts_.assign({0, 1});
    n_ends_left_ = ends_.are_all() ? graph_.n_vertices : ends_.number_beside(source);
    for (vertex_t depth = 1; depth <= limit_ && n_ends_left_ > 0; ++depth) {
      const bool keeps_on =
          for_each_block(start(depth - 1), start(depth), keep_on,
                         [&](vertex_t first, vertex_t last) { expand(first, last, depth); });
      if (!keeps_on) return false;
      if (n_reached_ == start(depth)) break;
      starts_.push_back(n_reached_);
      if (ends_.are_all()) continue;
      for (vertex_t i = start(depth); i < n_reached_; ++i) n_ends_left_ -= ends_.has(order_[i]);
    }
    return true;
  }

  /// Reaches the heads of the arcs from a part of a level, and adds to their counts.
  void expand(vertex_t first, vertex_t last, vertex_t depth) {
    if constexpr (is_shared) {
      expand_shared(first, last, depth);
    } else {
      expand_alone(first, last, depth);
    }
  }

  void expand_alone(vertex_t first, vertex_t last, vertex_t depth) {
    // Local variables: writes to arrays of the same types might change members.
    vertex_t* const hops = hops_.get();
    double* const counts = counts_.get();
    vertex_t* const order = order_.get();
    vertex_t n_reached = n_reached_;
    bool is_inexact = is_inexact_;
    for (vertex_t i = first; i < last; ++i) {
      const vertex_t u = order[i];
      const double count = counts[u];
      for (edge_t e = graph_.begin(u), end = graph_.end(u); e < end; ++e) {
        const vertex_t v = graph_.heads[e];
        if (hops[v] == not_reached) {
          hops[v] = depth;
          order[n_reached++] = v;
        } else if (hops[v] != depth) {
          continue;
        }
        is_inexact |= (counts[v] += count) >= inexact_count;
      }
    }
    n_reached_ = n_reached;
    is_inexact_ = is_inexact;
  }

  /// Several threads may reach a vertex: one of them lists it, and all add to its count. Counts
  /// below 2^53 are integers, whose sums do not depend on the order. Larger ones are counted again.
  void expand_shared(vertex_t first, vertex_t last, vertex_t depth) {
    std::array<vertex_t, vertices_a_block> found;
    std::size_t n_found = 0;
    for (vertex_t i = first; i < last; ++i) {
      const vertex_t u = order_[i];
      const double count = counts_[u];
      for (edge_t e = graph_.begin(u), end = graph_.end(u); e < end; ++e) {
        const vertex_t v = graph_.heads[e];
        const vertex_t hops = relaxed_load(hops_[v]);
        if (hops == not_reached && compare_and_swap(hops_[v], not_reached, depth)) {
          found[n_found++] = v;
          if (n_found == found.size()) list(found.data(), std::exchange(n_found, 0));
        } else if (hops != not_reached && hops != depth) {
          continue;
        }
        const double before =
            std::atomic_ref<double>(counts_[v]).fetch_add(count, std::memory_order_relaxed);
        if (before + count >= inexact_count) relaxed_store(is_inexact_, true);
      }
    }
    list(found.data(), n_found);
  }

  /// Appends vertices to the next level. Their order there does not matter.
  void list(const vertex_t* found, std::size_t n_found) {
    if (n_found == 0) return;
    const auto n = static_cast<vertex_t>(n_found);
    const vertex_t to =
        std::atomic_ref<vertex_t>(n_reached_).fetch_add(n, std::memory_order_relaxed);
    std::copy_n(found, n_found, order_.get() + to);
  }

  /// Counts paths anew, in the order that betweenness.hpp defines.
  template <class KeepOn>
  bool count_in_order(const KeepOn& keep_on) {
    if (long_counts_.is_empty()) long_counts_ = LongCounts(graph_.n_vertices);
    for (vertex_t i = 0; i < n_reached_; ++i) {
      counts_[order_[i]] = i == 0 ? 1 : 0;
      long_counts_.set(order_[i]);
    }
    for (vertex_t level = 0; level < n_levels(); ++level) {
      std::sort(order_.get() + start(level), order_.get() + start(level + 1));
      for (vertex_t i = start(level); i < start(level + 1); ++i) {
        if (i % vertices_between_polls == 0 && !keep_on()) return false;
        const vertex_t u = order_[i];
        is_long_ |= long_counts_.shorten(counts_.get(), u);
        for (edge_t e = graph_.begin(u), end = graph_.end(u); e < end; ++e) {
          const vertex_t v = graph_.heads[e];
          if (hops_[v] == level + 1) long_counts_.add(counts_.get(), u, v);
        }
      }
    }
    return true;
  }

  /// Goes back from the last level.
  template <class KeepOn>
  bool add_dependencies(const Totals<of_arcs>& totals, const KeepOn& keep_on) {
    constexpr vertex_t nearest = of_arcs ? 0 : 1;  // a source has no dependency on itself
    for (vertex_t level = n_levels(); level-- > nearest;) {
      const bool is_last = level == n_levels() - 1;
      const auto add = [&](vertex_t i) {
        if (is_long_) {
          add_long(i, is_last, totals);
        } else {
          add_dependency(i, is_last, totals,
                         [parts = parts_.get()](vertex_t head, edge_t) { return parts[head]; });
        }
      };
      if (!for_each(start(level), start(level + 1), keep_on, add)) return false;
      if (!is_last) {
        for_each(start(level + 1), start(level + 2), keep_on,
                 [&](vertex_t i) { parts_[order_[i]] = 0; });
      }
      if (level > nearest) {
        for_each(start(level), start(level + 1), keep_on,
                 [&](vertex_t i) { parts_[order_[i]] = next_parts_[i]; });
      }
    }
    return true;
  }

  /// Adds the dependency on the vertex at a position. parts_ has (1 + dependency) / count of the
  /// vertices of the next level, and 0 for all others.
  template <class PartOf>
  void add_dependency(vertex_t i, bool is_last, const Totals<of_arcs>& totals,
                      const PartOf& part_of) {
    const vertex_t u = order_[i];
    const double count = counts_[u];
    const double dependency = is_last ? 0 : count * sum_row(graph_, u, part_of);
    const bool is_end = ends_.has(u);
    totals.add(graph_, u, count, dependency, is_end, part_of);
    next_parts_[i] = ((is_end ? 1 : 0) + dependency) / count;
  }
  [[gnu::noinline]] void add_long(vertex_t i, bool is_last, const Totals<of_arcs>& totals) {
    add_dependency(i, is_last, totals, [this, u = order_[i]](vertex_t head, edge_t) {
      return parts_[head] == 0 ? 0 : parts_[head] * long_counts_.quotient(u, head);
    });
  }

  const CsrPattern graph_;
  const PathEnds& ends_;
  const vertex_t limit_;
  HostArray<vertex_t> hops_;
  HostArray<double> counts_;
  HostArray<double> parts_;
  HostArray<double> next_parts_;  // of the vertices at the positions of order_
  HostArray<vertex_t> order_;     // the reached vertices, level by level
  std::vector<vertex_t> starts_;  // of the levels in order_, and their end
  vertex_t n_reached_ = 0;
  vertex_t n_ends_left_ = 0;
  vertex_t unpolled_ = vertices_between_polls;  // vertices since the last poll
  LongCounts long_counts_;
  bool is_inexact_ = false;  // counts reach 2^53
  bool is_long_ = false;     // counts have exponents
};

}  // namespace warpgraph::betweenness
