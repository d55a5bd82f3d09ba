// The search from all sources of a batch at once. Not for use outside this folder.
#pragma once

#include "algorithms/bfs/bfs.hpp"
#include "algorithms/bfs/from_many/hop_rows.hpp"
#include "algorithms/bfs/from_many/source_sets.hpp"
#include "core/atomics.hpp"
#include "core/containers/at.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

namespace warpgraph::bfs_detail {

/// A level-synchronous search. A vertex has three sets of sources: those that have reached it,
/// those that reached it in the last level (its frontier), and in the next. A level of few vertices
/// runs top-down on the calling thread from a list of them. Larger levels are sweeps over all
/// vertices by all threads: bottom-up if the entering arcs are known and many arcs leave the
/// frontier, else top-down.
template <int n_words, class T>
class SourceBatch {
 public:
  static constexpr int max_sources = 64 * n_words;

  SourceBatch(const CsrPattern& graph, const BfsFromManyOptions& options, const HopRows<T>& rows)
      : graph_(graph),
        entering_(options.symmetric ? &graph : options.transposed),
        limit_(options.limit),
        rows_(rows),
        reached_(graph.n_vertices),
        frontier_(graph.n_vertices),
        next_(graph.n_vertices),
        active_(graph.n_vertices),
        touched_(graph.n_vertices) {}

  static constexpr std::size_t bytes(vertex_t n_vertices) {
    return at(n_vertices) * (3 * sizeof(Set) + 2 * sizeof(vertex_t)) + sizeof(SourceBatch);
  }

  /// Fills the rows of these sources, at most max_sources, from row `first_row` of the result on.
  void run(std::span<const vertex_t> sources, std::int64_t first_row) {
    rows_.begin_batch(first_row, static_cast<int>(sources.size()));
    clear();
    start(sources);
    depth_ = 0;
    while (size_.vertices > 0 && depth_ < limit_) {
      poll();
      ++depth_;
      advance();
    }
    write_unreached();
  }

 private:
  using Set = SourceSet<n_words>;
  /// The number of vertices of a block of the sweeps; hops of a block are written source by source.
  static constexpr vertex_t block = 64;
  static constexpr std::int64_t blocks_per_task = 16;
  static constexpr edge_t arcs_between_polls = 1 << 16;
  /// A list pays for frontiers of fewer than 1 / list_divisor of all vertices and arcs.
  static constexpr edge_t list_divisor = 32;
  /// A level is bottom-up if more than 1 / bottom_up_divisor of all arcs leave the frontier.
  static constexpr edge_t bottom_up_divisor = 12;

  struct FrontierSize {
    std::int64_t vertices;
    edge_t arcs;  // that leave these vertices
    friend FrontierSize operator+(FrontierSize a, FrontierSize b) {
      return {a.vertices + b.vertices, a.arcs + b.arcs};
    }
  };

  [[nodiscard]] std::int64_t n_blocks() const {
    return (std::int64_t{graph_.n_vertices} + block - 1) / block;
  }
  [[nodiscard]] vertex_t end_of_block(vertex_t first) const {
    return std::min(graph_.n_vertices - first, block) + first;
  }

  void clear() {
    all_ = {};
    parallel_for(
        graph_.n_vertices, [&](std::int64_t v) { reached_[v] = frontier_[v] = next_[v] = {}; },
        light_grain);
    next_is_clear_ = true;
    n_active_ = 0;
    size_ = {0, 0};
  }

  void start(std::span<const vertex_t> sources) {
    for (int i = 0; i < static_cast<int>(sources.size()); ++i) {
      const vertex_t source = sources[at(i)];
      all_.insert(i);
      if (frontier_[source].empty()) activate(source);
      frontier_[source].insert(i);
      reached_[source].insert(i);
      rows_.write_one(i, source, 0);
    }
    is_listed_ = true;
  }

  void activate(vertex_t v) {
    active_[n_active_++] = v;
    size_ = size_ + FrontierSize{1, graph_.degree(v)};
  }

  void advance() {
    if (size_.vertices < graph_.n_vertices / list_divisor &&
        size_.arcs < graph_.n_arcs / list_divisor) {
      if (!is_listed_) list_frontier();
      return advance_list();
    }
    is_listed_ = false;
    if (entering_ != nullptr && size_.arcs > graph_.n_arcs / bottom_up_divisor) {
      size_ = sweep([&](vertex_t v) { return search_entering_arcs(v); });
      std::swap(frontier_, next_);
      next_is_clear_ = false;
      return;
    }
    if (!std::exchange(next_is_clear_, true)) {
      parallel_for(
          graph_.n_vertices, [&](std::int64_t v) { next_[v] = {}; }, light_grain);
    }
    num_threads() > 1 ? push_frontier<true>() : push_frontier<false>();
    size_ = sweep([&](vertex_t v) {
      frontier_[v] = next_[v] - reached_[v];
      next_[v] = {};
      reached_[v] |= frontier_[v];
      return frontier_[v];
    });
  }

  // Levels of few vertices.

  void list_frontier() {
    n_active_ = 0;
    size_ = {0, 0};
    for (vertex_t v = 0; v < graph_.n_vertices; ++v) {
      if (v % arcs_between_polls == 0) poll();
      if (!frontier_[v].empty()) activate(v);
    }
    if (!std::exchange(next_is_clear_, true)) {
      parallel_for(
          graph_.n_vertices, [&](std::int64_t v) { next_[v] = {}; }, light_grain);
    }
    is_listed_ = true;
  }

  void advance_list() {
    std::int64_t n_touched = 0;
    edge_t arcs_to_poll = arcs_between_polls;
    for (std::int64_t i = 0; i < n_active_; ++i) {
      const vertex_t u = active_[i];
      const Set from = std::exchange(frontier_[u], {});
      arcs_to_poll -= graph_.degree(u) + 1;
      if (arcs_to_poll < 0) {
        arcs_to_poll = arcs_between_polls;
        poll();
      }
      for (edge_t e = graph_.begin(u), end = graph_.end(u); e < end; ++e) {
        const vertex_t v = graph_.heads[e];
        const Set found = from - reached_[v];
        if (found.empty()) continue;
        if (next_[v].empty()) touched_[n_touched++] = v;
        next_[v] |= found;
      }
    }
    n_active_ = 0;
    size_ = {0, 0};
    for (std::int64_t i = 0; i < n_touched; ++i) {
      const vertex_t v = touched_[i];
      frontier_[v] = std::exchange(next_[v], {});
      reached_[v] |= frontier_[v];
      frontier_[v].for_each([&](int source) { rows_.write_one(source, v, depth_); });
      activate(v);
    }
  }

  // Sweeps over all vertices.

  /// Visits all vertices v, which the sources find(v) reach in this level. Writes their hops.
  template <class Find>
  FrontierSize sweep(Find&& find) {
    return parallel_reduce(
        n_blocks(), FrontierSize{0, 0},
        [&](std::int64_t b) {
          const auto first = static_cast<vertex_t>(b * block);
          Set found[block] = {};
          FrontierSize size{0, 0};
          for (vertex_t v = first; v < end_of_block(first); ++v) {
            found[v - first] = find(v);
            if (!found[v - first].empty()) size = size + FrontierSize{1, graph_.degree(v)};
          }
          if (size.vertices > 0) write_block(found, first, depth_);
          return size;
        },
        std::plus<>{}, blocks_per_task);
  }

  /// Returns the union of the frontiers of the vertices that have an arc to v: a bottom-up step.
  Set search_entering_arcs(vertex_t v) {
    const Set missing = all_ - reached_[v];
    Set found = {};
    if (!missing.empty()) {
      const edge_t end = entering_->end(v);
      for (edge_t e = entering_->begin(v); e < end; ++e) {
        __builtin_prefetch(&frontier_[entering_->heads[std::min(e + prefetched_arcs, end - 1)]]);
        found |= frontier_[entering_->heads[e]];
        if ((missing - found).empty()) break;
      }
      found = found & missing;
      reached_[v] |= found;
    }
    next_[v] = found;
    return found;
  }

  /// Adds the frontiers to the heads, top-down. If `parallel`, other threads add to the same sets.
  template <bool parallel>
  void push_frontier() {
    parallel_for(
        n_blocks(),
        [&](std::int64_t b) {
          const auto first = static_cast<vertex_t>(b * block);
          for (vertex_t u = first; u < end_of_block(first); ++u) {
            if (frontier_[u].empty()) continue;
            const edge_t end = graph_.end(u);
            for (edge_t e = graph_.begin(u); e < end; ++e) {
              __builtin_prefetch(&next_[graph_.heads[std::min(e + prefetched_arcs, end - 1)]], 1);
              add<parallel>(next_[graph_.heads[e]], frontier_[u]);
            }
          }
        },
        blocks_per_task);
  }

  template <bool parallel>
  static void add(Set& to, const Set& from) {
    if constexpr (!parallel) {
      to |= from;
    } else {
      for (int w = 0; w < n_words; ++w) {
        // Most bits are there already; reading them first keeps the cache line shared.
        const std::uint64_t missing = from.words[w] & ~relaxed_load(to.words[w]);
        if (missing == 0) continue;
        std::atomic_ref<std::uint64_t>(to.words[w]).fetch_or(missing, std::memory_order_relaxed);
      }
    }
  }

  void write_unreached() {
    parallel_for(
        n_blocks(),
        [&](std::int64_t b) {
          const auto first = static_cast<vertex_t>(b * block);
          Set missing[block] = {};
          bool any = false;
          for (vertex_t v = first; v < end_of_block(first); ++v) {
            missing[v - first] = all_ - reached_[v];
            any |= !missing[v - first].empty();
          }
          if (any) write_block(missing, first, HopRows<T>::unreached_depth);
        },
        blocks_per_task);
  }

  void write_block(const Set (&sets)[block], vertex_t first, vertex_t depth) {
    for (int w = 0; w < n_words; ++w) {
      if (all_.words[w] == 0) return;
      std::uint64_t rows[block];
      for (vertex_t i = 0; i < block; ++i) rows[i] = sets[i].words[w];
      rows_.write_block(rows, 64 * w, first, depth);
    }
  }

  static constexpr edge_t prefetched_arcs = 8;

  const CsrPattern& graph_;
  const CsrPattern* entering_;  // the arcs that enter each vertex; nullptr: not known
  vertex_t limit_;
  HopRows<T> rows_;
  HostArray<Set> reached_;
  HostArray<Set> frontier_;
  HostArray<Set> next_;  // empty sets between levels if next_is_clear_
  HostArray<vertex_t> active_;
  HostArray<vertex_t> touched_;
  Set all_{};
  std::int64_t n_active_ = 0;
  FrontierSize size_{0, 0};
  vertex_t depth_ = 0;
  bool next_is_clear_ = true;
  bool is_listed_ = true;  // the frontier is in active_
};

}  // namespace warpgraph::bfs_detail
