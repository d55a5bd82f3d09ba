// Brandes' dependencies of a source on vertices or arcs (betweenness.hpp), if all arcs have length
// 1: by a breadth-first search, level by level, and back. One thread does it, or all together if it
// is shared. Not for use outside this folder.
//
// Vertices have places in the order in which they are reached, so those of a level are neighbours,
// and what is known of them fits a cache while the level before or after it is visited. An arc
// that leaves a level leads to the next one if the place of its head is not before that level.
//
// Of a mirrored graph, a thread can pull a level [1]: each vertex that is not reached adds the
// counts of its neighbours in the level before. It does so if fewer arcs leave these vertices than
// that level, as after the level with most arcs of an R-MAT graph: there, all searches read half of
// the arcs or less that they would push.
//
// [1] Beamer, Asanovic, Patterson: Direction-optimizing breadth-first search. SC 2012.
#pragma once

#include "algorithms/betweenness/path_counts.hpp"
#include "core/atomics.hpp"
#include "core/threads/parallel.hpp"

#include <atomic>

namespace warpgraph::betweenness {

template <bool is_shared, bool of_arcs>
class HopSearch {
 public:
  /// `may_pull` says that every arc is stored both ways.
  HopSearch(const CsrPattern& graph, const PathEnds& ends, vertex_t limit, bool may_pull)
      : graph_(graph),
        ends_(ends),
        limit_(limit),
        may_pull_(may_pull && !is_shared),
        n_places_(graph.n_vertices + spare_places(is_shared ? num_threads() : 1)),
        places_(graph.n_vertices),
        order_(n_places_),
        values_(n_places_) {
    std::fill_n(places_.get(), graph.n_vertices, not_reached);
    std::fill_n(values_.get(), n_places_, 0.0);
  }
  static std::size_t bytes_needed(const CsrPattern& graph) {
    // Levels may be as many as vertices, and a vector twice as long as its items.
    constexpr std::size_t levels = 3 * sizeof(vertex_t);
    constexpr std::size_t per_place =
        2 * sizeof(vertex_t) + sizeof(double) + levels + LongCounts::bytes_a_vertex;
    return static_cast<std::size_t>(graph.n_vertices + spare_places(num_threads())) * per_place;
  }

  /// Adds the dependencies of a source to the totals. Returns false, with the totals incomplete, as
  /// soon as keep_on() has returned false.
  bool run(vertex_t source, const Totals<of_arcs>& totals, KeepOn keep_on) {
    if (!find_levels(source, keep_on, false)) return false;
    if (is_inexact_) {
      forget(keep_on);
      if (!find_levels(source, keep_on, true)) return false;
    }
    if (is_long_ && !count_in_order(keep_on)) return false;
    if (!add_dependencies(totals, keep_on)) return false;
    const vertex_t n_ends =
        ends_.are_all() ? n_reached_ - 1 : ends_.number_beside(source) - n_ends_left_;
    totals.add_paths(source, n_ends);
    return forget(keep_on);
  }

 private:
  static constexpr vertex_t not_reached = -1;
  static constexpr vertex_t vertices_between_polls = 1024;
  static constexpr std::int64_t vertices_a_block = 128;  // of a level that threads share
  static constexpr vertex_t places_at_once = 64;         // that a thread reserves
  static constexpr vertex_t places_ahead = 8;            // of the one whose row is prefetched

  /// Places of the next level that a thread has reserved.
  struct alignas(64) Reserved {
    vertex_t next = 0;
    vertex_t end = 0;
  };

  /// Returns the number of places after the vertices: those that are reserved, and one with 0.
  static std::int64_t spare_places(int threads) {
    return std::int64_t{places_at_once} * threads + 1;
  }
  /// Returns a place whose value is always 0, for arcs that do not lead to the next level.
  [[nodiscard]] vertex_t place_of_zero() const { return static_cast<vertex_t>(n_places_ - 1); }
  [[nodiscard]] vertex_t n_levels() const { return static_cast<vertex_t>(starts_.size()) - 1; }
  [[nodiscard]] vertex_t start(vertex_t level) const {
    return starts_[static_cast<std::size_t>(level)];
  }

  /// Calls visit(first, last) for blocks of places on this thread. Returns false as soon as
  /// keep_on() has returned false.
  template <class Visit>
  bool for_each_block(vertex_t first, vertex_t last, KeepOn keep_on, const Visit& visit) {
    while (first < last) {
      if (unpolled_ >= vertices_between_polls) {
        unpolled_ = 0;
        if (!keep_on()) return false;
      }
      const vertex_t n = std::min(last - first, vertices_between_polls);
      visit(first, first + n);
      unpolled_ += n;
      first += n;
    }
    return true;
  }
  /// Calls visit(thread, first, last) for blocks of places on all threads.
  template <class Visit>
  void for_each_block_shared(vertex_t first, vertex_t last, const Visit& visit) {
    parallel_blocks(
        last - first, vertices_a_block, [&](int thread, std::int64_t begin, std::int64_t end) {
          visit(thread, first + static_cast<vertex_t>(begin), first + static_cast<vertex_t>(end));
        });
  }
  /// Calls visit(i) for places, on all threads if they share the search.
  template <class Visit>
  bool for_each(vertex_t first, vertex_t last, KeepOn keep_on, const Visit& visit) {
    const auto visit_all = [&](vertex_t begin, vertex_t end) {
      for (vertex_t i = begin; i < end; ++i) visit(i);
    };
    if constexpr (!is_shared) return for_each_block(first, last, keep_on, visit_all);
    for_each_block_shared(first, last,
                          [&](int, vertex_t begin, vertex_t end) { visit_all(begin, end); });
    return true;
  }

  /// Resets the arrays for the next source, in time in proportion to the vertices reached.
  bool forget(KeepOn keep_on) {
    return for_each(0, n_reached_, keep_on, [&](vertex_t i) {
      places_[order_[i]] = not_reached;
      values_[i] = 0;
    });
  }

  /// Reaches vertices, and counts the paths to them. If `in_order`, places are in the order of a
  /// search with a queue, and so are the additions of counts; it must be true if their order
  /// matters, which `is_inexact_` says after a search without it.
  bool find_levels(vertex_t source, KeepOn keep_on, bool in_order) {
    is_inexact_ = is_long_ = has_pulled_ = false;
    n_arcs_ahead_ = graph_.n_arcs;
    places_[source] = 0;
    order_[0] = source;
    values_[0] = 1;
    n_reached_ = 1;
    starts_.assign({0, 1});
    n_ends_left_ = ends_.are_all() ? graph_.n_vertices : ends_.number_beside(source);
    for (vertex_t depth = 1; depth <= limit_ && n_ends_left_ > 0; ++depth) {
      if (!expand(start(depth - 1), start(depth), keep_on, in_order)) return false;
      if (n_reached_ == start(depth)) break;
      starts_.push_back(n_reached_);
      if (ends_.are_all()) continue;
      for (vertex_t i = start(depth); i < n_reached_; ++i) n_ends_left_ -= ends_.has(order_[i]);
    }
    return true;
  }

  /// Reaches the heads of the arcs from a level, at the places first .. next, and counts the paths
  /// to them.
  bool expand(vertex_t first, vertex_t next, KeepOn keep_on, bool in_order) {
    if (!is_shared || in_order) {
      if (may_pull_ && !in_order && pays_to_pull(first, next)) return pull(first, next, keep_on);
      const bool keeps_on = for_each_block(first, next, keep_on, [&](vertex_t begin, vertex_t end) {
        expand_alone(begin, end, next);
      });
      if (has_pulled_) note_inexact_counts(next);
      return keeps_on;
    }
    reserved_.assign(static_cast<std::size_t>(threads_of_loop()), {});
    for_each_block_shared(first, next, [&](int thread, vertex_t begin, vertex_t end) {
      expand_shared(begin, end, next, reserved_[static_cast<std::size_t>(thread)]);
    });
    close_gaps();
    return true;
  }

  /// Prefetches the row of a vertex whose place comes soon, and its offset still earlier: of random
  /// numbers of vertices, most rows are in no cache near by.
  [[gnu::always_inline]] void prefetch_ahead(vertex_t i, vertex_t n_reached,
                                             const vertex_t* order) const {
    if (i + 2 * places_ahead >= n_reached) return;
    graph_.offsets.prefetch(order[i + 2 * places_ahead]);
    __builtin_prefetch(graph_.heads + graph_.begin(order[i + places_ahead]));
  }

  void expand_alone(vertex_t first, vertex_t last, vertex_t next) {
    // Local variables: writes to arrays of the same types might change members.
    vertex_t* const places = places_.get();
    double* const counts = values_.get();
    vertex_t* const order = order_.get();
    vertex_t n_reached = n_reached_;
    bool is_long = is_long_;
    for (vertex_t i = first; i < last; ++i) {
      const double count = counts[i];
      prefetch_ahead(i, n_reached, order);
      for (edge_t e = graph_.begin(order[i]), end = graph_.end(order[i]); e < end; ++e) {
        const vertex_t v = graph_.heads[e];
        const vertex_t place = places[v];
        if (place == not_reached) {
          places[v] = n_reached;
          order[n_reached] = v;
          counts[n_reached++] = count;
        } else if (place >= next) {
          is_long |= (counts[place] += count) > LongCounts::limit;
        }
      }
    }
    n_reached_ = n_reached;
    is_long_ = is_long;
  }

  /// Returns whether fewer arcs leave the vertices that are not reached than the level at the
  /// places first .. next.
  bool pays_to_pull(vertex_t first, vertex_t next) {
    edge_t n_arcs = 0;
    for (vertex_t i = first; i < next; ++i) n_arcs += graph_.degree(order_[i]);
    n_arcs_ahead_ -= n_arcs;
    return n_arcs_ahead_ + graph_.n_vertices < n_arcs;
  }

  /// Reaches the vertices with neighbours at the places first .. next, and counts the paths to
  /// them.
  bool pull(vertex_t first, vertex_t next, KeepOn keep_on) {
    has_pulled_ = true;
    const auto pull_rows = [&](vertex_t begin, vertex_t end) {
      for (vertex_t v = begin; v < end; ++v) {
        if (places_[v] != not_reached) continue;
        double count = 0;
        for (edge_t e = graph_.begin(v), last = graph_.end(v); e < last; ++e) {
          const vertex_t place = places_[graph_.heads[e]];
          if (place >= first && place < next) count += values_[place];
        }
        if (count == 0) continue;
        places_[v] = n_reached_;
        order_[n_reached_] = v;
        values_[n_reached_++] = count;
      }
    };
    if (!for_each_block(0, graph_.n_vertices, keep_on, pull_rows)) return false;
    note_inexact_counts(next);
    return true;
  }
  /// Looks for counts at places from `first` on whose additions may have rounded.
  void note_inexact_counts(vertex_t first) {
    is_inexact_ |= std::any_of(values_.get() + first, values_.get() + n_reached_,
                               [](double count) { return count >= inexact_count; });
  }

  /// Expands the vertices of a level by several threads. Some of them may reach a vertex at once:
  /// one gives it a place, and all add to its count. Counts below 2^53 are integers, whose sums do
  /// not depend on the order. With larger ones, the search is repeated by one thread. The order of
  /// places within a level does not matter otherwise.
  void expand_shared(vertex_t first, vertex_t last, vertex_t next, Reserved& reserved) {
    for (vertex_t i = first; i < last; ++i) {
      const double count = values_[i];
      for (edge_t e = graph_.begin(order_[i]), end = graph_.end(order_[i]); e < end; ++e) {
        const vertex_t v = graph_.heads[e];
        vertex_t place = relaxed_load(places_[v]);
        if (place == not_reached) place = place_for(v, reserved);
        if (place < next) continue;
        const double before =
            std::atomic_ref<double>(values_[place]).fetch_add(count, std::memory_order_relaxed);
        if (before + count >= inexact_count) relaxed_store(is_inexact_, true);
      }
    }
  }

  /// Returns the place that this or another thread has given to a vertex.
  vertex_t place_for(vertex_t v, Reserved& reserved) {
    if (reserved.next == reserved.end) {
      reserved.next = std::atomic_ref<vertex_t>(n_reached_)
                          .fetch_add(places_at_once, std::memory_order_relaxed);
      reserved.end = reserved.next + places_at_once;
    }
    if (!compare_and_swap(places_[v], not_reached, reserved.next)) return relaxed_load(places_[v]);
    order_[reserved.next] = v;
    return reserved.next++;
  }

  /// Moves the last vertices of the new level to the gaps, the places that were reserved and not
  /// used, so that the level is contiguous. Gaps at the end are cut off.
  void close_gaps() {
    std::vector<vertex_t> gaps;
    for (const Reserved& reserved : reserved_) {
      for (vertex_t i = reserved.next; i < reserved.end; ++i) gaps.push_back(i);
    }
    std::sort(gaps.begin(), gaps.end());
    auto last = gaps.rbegin();
    for (const vertex_t gap : gaps) {
      while (last != gaps.rend() && *last >= gap && *last == n_reached_ - 1) {
        ++last;
        --n_reached_;
      }
      if (gap >= n_reached_) break;
      const vertex_t from = --n_reached_;
      places_[order_[from]] = gap;
      order_[gap] = order_[from];
      values_[gap] = std::exchange(values_[from], 0.0);
    }
  }

  /// Counts paths anew in the same order, by numbers with exponents.
  bool count_in_order(KeepOn keep_on) {
    if (long_counts_.is_empty()) long_counts_ = LongCounts(graph_.n_vertices);
    for (vertex_t i = 0; i < n_reached_; ++i) {
      values_[i] = i == 0 ? 1 : 0;
      long_counts_.set(i);
    }
    for (vertex_t level = 0; level < n_levels(); ++level) {
      const vertex_t next = start(level + 1);
      const bool keeps_on =
          for_each_block(start(level), next, keep_on, [&](vertex_t first, vertex_t last) {
            for (vertex_t i = first; i < last; ++i) add_long_counts(i, next);
          });
      if (!keeps_on) return false;
    }
    return true;
  }
  void add_long_counts(vertex_t i, vertex_t next) {
    long_counts_.shorten(values_.get(), i);
    for (edge_t e = graph_.begin(order_[i]), end = graph_.end(order_[i]); e < end; ++e) {
      const vertex_t place = places_[graph_.heads[e]];
      if (place >= next) long_counts_.add(values_.get(), i, place);
    }
  }

  /// Goes back from the last level. The count of a vertex gives way to (1 + dependency) / count.
  bool add_dependencies(const Totals<of_arcs>& totals, KeepOn keep_on) {
    constexpr vertex_t nearest = of_arcs ? 0 : 1;  // a source has no dependency on itself
    for (vertex_t level = n_levels(); level-- > nearest;) {
      const vertex_t next = start(level + 1);
      const auto part_of = [places = places_.get(), parts = values_.get(), next,
                            zero = place_of_zero()](vertex_t head, edge_t) {
        const vertex_t place = places[head];
        return parts[place >= next ? place : zero];
      };
      const auto long_part_of = [&](vertex_t i) {
        return [&, i](vertex_t head, edge_t) {
          const vertex_t place = places_[head];
          return place < next ? 0.0 : values_[place] * long_counts_.quotient(i, place);
        };
      };
      const bool is_last = level == n_levels() - 1;
      const bool keeps_on = for_each(start(level), next, keep_on, [&](vertex_t i) {
        prefetch_ahead(i, next, order_.get());
        if (i + places_ahead < next) totals.prefetch(order_[i + places_ahead]);
        if (is_long_) {
          add_dependency(i, is_last, totals, long_part_of(i));
        } else {
          add_dependency(i, is_last, totals, part_of);
        }
      });
      if (!keeps_on) return false;
    }
    return true;
  }

  /// Adds the dependency on the vertex at a place.
  template <class PartOf>
  [[gnu::always_inline]] void add_dependency(vertex_t i, bool is_last,
                                             const Totals<of_arcs>& totals, const PartOf& part_of) {
    const vertex_t u = order_[i];
    const double count = values_[i];
    const double dependency = is_last ? 0 : count * sum_row(graph_, u, part_of);
    const bool is_end = ends_.has(u);
    totals.add(graph_, u, count, dependency, is_end, part_of);
    values_[i] = ((is_end ? 1 : 0) + dependency) / count;
  }

  const CsrPattern graph_;
  const PathEnds& ends_;
  const vertex_t limit_;
  const bool may_pull_;
  const std::int64_t n_places_;
  HostArray<vertex_t> places_;
  // By place:
  HostArray<vertex_t> order_;  // the vertex
  HostArray<double> values_;   // its count, then its part in the sums of the level before
  LongCounts long_counts_;
  std::vector<vertex_t> starts_;  // of the levels, and the end of the last
  std::vector<Reserved> reserved_;
  vertex_t n_reached_ = 0;
  vertex_t n_ends_left_ = 0;
  edge_t n_arcs_ahead_ = 0;                     // that leave vertices which are not reached
  vertex_t unpolled_ = vertices_between_polls;  // vertices since the last poll
  bool has_pulled_ = false;                     // a level of the search
  bool is_inexact_ = false;                     // counts reach 2^53 and are not added in order
  bool is_long_ = false;                        // counts need exponents
};

}  // namespace warpgraph::betweenness
