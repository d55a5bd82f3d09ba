#include "algorithms/bfs/bfs.hpp"
#include "algorithms/bfs/bottom_up.hpp"
#include "algorithms/bfs/direction_heuristic.hpp"
#include "algorithms/bfs/frontier_queue.hpp"
#include "algorithms/bfs/hop_predecessors.hpp"
#include "algorithms/sssp/sssp.hpp"
#include "core/atomics.hpp"
#include "core/threads/affinity_loop.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/search/bucket_search.hpp"
#include "primitives/search/work_sharing.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace warpgraph {
namespace {

/// The smallest frontier that all threads expand. It takes the calling thread alone less time to
/// expand one that is smaller in both respects than to pass the work to the spinning threads of the
/// pool and fetch their writes back.
constexpr std::int64_t min_parallel_frontier = 4096;
constexpr edge_t min_parallel_arcs = 1 << 14;
/// The smallest frontier for each thread where vertices have few arcs. They are next to those of
/// the level before, which the cache of the thread that found them holds. If threads keep to their
/// vertices, smaller frontiers repay the waiting: two threads take 360 milliseconds on a grid of
/// 4900 x 4900, one takes 710.
constexpr std::int64_t min_part_of_frontier = 64;
/// The largest frontier of which threads keep their vertices; any thread takes blocks of a larger
/// one, since the calling thread copies the vertices that all have found.
constexpr std::int64_t max_frontier_of_parts = 1 << 15;
constexpr edge_t max_arcs_of_parts = 1 << 17;
/// The smallest graph for which threads are woken: a smaller one takes less time than that.
constexpr edge_t min_pool_size = 1 << 16;
/// The most arcs of a row that one thread takes alone.
constexpr edge_t max_unshared_degree = 1 << 13;
constexpr edge_t arcs_per_block = 1 << 11;
/// A frontier of more than n_vertices / sweep_divisor vertices is found by a sweep over `hops`
/// instead of read from the queue: reading that many rows in vertex order saves more than the sweep
/// costs.
constexpr vertex_t sweep_divisor = 16;
/// Queued vertices per block of work. Small, since one of them may be a hub.
constexpr std::int64_t vertices_per_block = 64;
constexpr std::int64_t vertices_per_block_of_part = 256;
constexpr std::int64_t vertices_between_polls = 1 << 12;
/// The cost of an arc bottom-up, in arcs top-down: a core takes about as long either way.
constexpr double cost_of_bottom_up = 1;
/// A graph is deep if this many levels have reached no more than n_vertices / deep_share vertices.
constexpr vertex_t probed_levels = 64;
constexpr vertex_t deep_share = 4;

bool has_entering_arcs(const BfsOptions& options) {
  return options.symmetric || options.transposed != nullptr;
}

template <bool with_predecessors>
class DirectionOptimizingBfs {
 public:
  DirectionOptimizingBfs(const CsrPattern& graph, const BfsOptions& options,
                         std::span<vertex_t> hops, std::span<vertex_t> predecessors)
      : graph_(graph),
        limit_(options.limit),
        has_targets_(!options.targets.empty()),
        targets_(options.targets),
        hops_(hops.data()),
        predecessors_(reinterpret_cast<SmallestTail*>(predecessors.data())),
        heuristic_(has_entering_arcs(options), graph.n_vertices, graph.n_arcs, cost_of_bottom_up),
        has_low_degree_(graph.has_low_degree()),
        queue_(std::ssize(hops)),
        found_(static_cast<std::size_t>(num_threads())),
        bottom_up_(graph,
                   options.symmetric || options.transposed == nullptr ? graph : *options.transposed,
                   !with_predecessors || options.ascending_heads, hops_, predecessors_) {
    parallel_for(
        graph.n_vertices,
        [&](std::int64_t v) {
          hops_[v] = unreached;
          if constexpr (with_predecessors) predecessors_[v] = no_tail;
        },
        light_grain);
    hops_[options.source] = 0;
    queue_.set_next(0, options.source);
    queue_.advance(1);
    frontier_ = {1, graph.degree(options.source)};
  }

  /// Searches level by level. If `ends_if_deep`, returns false as soon as the graph proves deep.
  bool run(bool ends_if_deep) {
    std::int64_t reached = 0;
    while (frontier_.vertices > 0 && depth_ < limit_ && !has_reached_targets()) {
      const bool is_probed = ends_if_deep && depth_ == probed_levels;
      if (is_probed && reached <= graph_.n_vertices / deep_share) return false;
      reached += frontier_.vertices;
      report_progress(reached, graph_.n_vertices);
      if (heuristic_.bottom_up(frontier_.vertices, frontier_.arcs)) {
        advance_bottom_up();
      } else if (is_worth_all_threads()) {
        advance_top_down<true>();
      } else {
        advance_top_down<false>();
      }
      ++depth_;
    }
    // Vertices that are not reached are done with, too.
    if (!has_targets_) report_progress(graph_.n_vertices, graph_.n_vertices);
    return true;
  }

 private:
  /// The vertices that a thread finds. Aligned, since threads that write to one line wait for each
  /// other.
  struct alignas(64) Found {
    std::vector<vertex_t> vertices;
    edge_t arcs = 0;

    void clear() noexcept {
      vertices.clear();
      arcs = 0;
    }
    void add(vertex_t v, edge_t degree) {
      vertices.push_back(v);
      arcs += degree;
    }
  };

  /// Returns whether all targets are reached; false if there are none. Each is looked at until it
  /// is reached, and then no more.
  [[nodiscard]] bool has_reached_targets() noexcept {
    while (!targets_.empty() && hops_[targets_.back()] != unreached) {
      targets_ = targets_.first(targets_.size() - 1);
    }
    return has_targets_ && targets_.empty();
  }

  [[nodiscard]] bool is_worth_all_threads() const noexcept {
    if (found_.size() == 1) return false;
    if (!has_low_degree_) {
      return frontier_.vertices >= min_parallel_frontier || frontier_.arcs >= min_parallel_arcs;
    }
    return frontier_.vertices >= min_part_of_frontier * std::ssize(found_) ||
           frontier_.arcs > max_arcs_of_parts;
  }

  /// Expands the frontier top-down, by all threads if `parallel`.
  template <bool parallel>
  void advance_top_down() {
    const FrontierSize frontier = std::exchange(frontier_, {0, 0});
    is_kept_together_ = has_low_degree_ && frontier.vertices <= max_frontier_of_parts &&
                        frontier.arcs <= max_arcs_of_parts;
    if (!is_queued_) {
      expand_bits<parallel>();
    } else if (frontier.vertices > graph_.n_vertices / sweep_divisor) {
      sweep_hops<parallel>();
    } else {
      expand_queue<parallel>(queue_.frontier());
    }
    queue_.advance(frontier_.vertices);
    is_queued_ = true;
  }

  /// Expands a frontier that is in bottom_up_.
  template <bool parallel>
  void expand_bits() {
    const auto frontier = bottom_up_.frontier();
    enqueue_found<parallel>(std::ssize(frontier), words_per_block,
                            [&](std::int64_t w, std::int64_t last, auto&& found) {
                              for (; w < last; ++w) {
                                for_each_bit(frontier[w], w,
                                             [&](vertex_t u) { expand<parallel, true>(u, found); });
                              }
                            });
  }

  /// Expands a frontier that a sweep over the hops finds.
  template <bool parallel>
  void sweep_hops() {
    enqueue_found<parallel>(graph_.n_vertices, vertices_between_polls,
                            [&](std::int64_t v, std::int64_t last, auto&& found) {
                              for (; v < last; ++v) {
                                if (relaxed_load(hops_[v]) != depth_) continue;
                                expand<parallel, true>(static_cast<vertex_t>(v), found);
                              }
                            });
  }

  template <bool parallel>
  void expand_queue(const FrontierQueue::Frontier& frontier) {
    std::atomic<bool> has_shared_row{false};
    enqueue_found<parallel>(frontier.size(), parallel ? parallel_grain() : vertices_between_polls,
                            [&](std::int64_t i, std::int64_t last, auto&& found) {
                              for (; i < last; ++i) {
                                const vertex_t u = frontier[i];
                                if (parallel && graph_.degree(u) > max_unshared_degree) {
                                  has_shared_row.store(true, std::memory_order_relaxed);
                                } else {
                                  expand<parallel, false>(u, found);
                                }
                              }
                            });
    if (has_shared_row) expand_shared_rows(frontier);
  }

  [[nodiscard]] std::int64_t parallel_grain() const noexcept {
    return is_kept_together_ ? vertices_per_block_of_part : vertices_per_block;
  }

  /// Expands the rows of a queued frontier that expand_queue leaves out.
  void expand_shared_rows(const FrontierQueue::Frontier& frontier) {
    for (std::int64_t i = 0; i < frontier.size(); ++i) {
      const vertex_t u = frontier[i];
      if (graph_.degree(u) <= max_unshared_degree) continue;
      enqueue_found<true>(graph_.degree(u), arcs_per_block,
                          [&, begin = graph_.begin(u)](edge_t e, edge_t last, auto&& found) {
                            expand_arcs<true, false>(u, begin + e, begin + last, found);
                          });
    }
  }

  /// Calls found(v) for each head v of u that was unreached before. `in_vertex_order`: this
  /// thread's calls come in increasing order of u, so with one thread the first u that reaches v is
  /// the smallest.
  template <bool parallel, bool in_vertex_order, class Found>
  void expand(vertex_t u, Found&& found) {
    expand_arcs<parallel, in_vertex_order>(u, graph_.begin(u), graph_.end(u), found);
  }

  /// Calls found(v) for each head v of the arcs first .. last of u that was unreached before.
  template <bool parallel, bool in_vertex_order, class Found>
  void expand_arcs(vertex_t u, edge_t first, edge_t last, Found&& found) {
    const vertex_t depth = depth_ + 1;
    // Copies: atomic operations make the compiler read members again.
    const vertex_t* const heads = graph_.heads;
    vertex_t* const hops = hops_;
    for (edge_t e = first; e < last; ++e) {
      const vertex_t v = heads[e];
      const vertex_t seen = relaxed_load(hops[v]);
      if (seen == unreached) {
        // If another thread claims v first, it writes the same depth.
        if (claim<parallel>(hops[v], depth)) found(v);
      } else if (!with_predecessors || (in_vertex_order && !parallel) || seen != depth) {
        continue;
      }
      if constexpr (with_predecessors) lower_tail<parallel>(predecessors_[v], u);
    }
  }

  template <bool parallel>
  static bool claim(vertex_t& hops, vertex_t depth) {
    if constexpr (parallel) return compare_and_swap(hops, unreached, depth);
    hops = depth;
    return true;
  }

  template <bool parallel>
  static void lower_tail(SmallestTail& predecessor, vertex_t u) {
    if constexpr (parallel) {
      lower_predecessor(predecessor, u);
    } else {
      predecessor = smaller_tail(predecessor, u);
    }
  }

  /// Calls produce(i, last, found) for blocks of 0..n. The vertices passed to found() are appended
  /// to the next frontier.
  template <bool parallel, class Produce>
  void enqueue_found(std::int64_t n, std::int64_t grain, Produce&& produce) {
    FrontierSize found{0, 0};
    if constexpr (parallel) {
      found = is_kept_together_ ? enqueue_found_in_parts(n, grain, produce)
                                : enqueue_found_in_blocks(n, grain, produce);
    } else {
      for (std::int64_t i = 0; i < n; i += grain) {
        poll();
        produce(i, std::min(i + grain, n), [&](vertex_t v) {
          queue_.set_next(frontier_.vertices + found.vertices++, v);
          found.arcs += prefetch_row(v);
        });
      }
    }
    frontier_ = frontier_ + found;
  }

  /// Calls produce() for blocks, any of which any thread takes.
  template <class Produce>
  FrontierSize enqueue_found_in_blocks(std::int64_t n, std::int64_t grain, Produce&& produce) {
    std::atomic<std::int64_t> end{frontier_.vertices};
    std::atomic<edge_t> arcs{0};
    parallel_blocks(n, grain, [&](int thread, std::int64_t i, std::int64_t last) {
      Found& found = found_by(thread);
      found.clear();
      produce(i, last, [&](vertex_t v) { found.add(v, prefetch_row(v)); });
      queue_.set_next(end.fetch_add(std::ssize(found.vertices), std::memory_order_relaxed),
                      found.vertices);
      arcs.fetch_add(found.arcs, std::memory_order_relaxed);
    });
    return {end - frontier_.vertices, arcs};
  }

  /// Calls produce() for a part for each thread. A thread's vertices stay together in the queue, in
  /// the order of the threads, so that the same thread takes them at the next level.
  template <class Produce>
  FrontierSize enqueue_found_in_parts(std::int64_t n, std::int64_t grain, Produce&& produce) {
    for (Found& found : found_) found.clear();
    parallel_blocks_with_affinity(n, grain, [&](int thread, std::int64_t i, std::int64_t last) {
      Found& found = found_by(thread);
      produce(i, last, [&](vertex_t v) { found.add(v, prefetch_row(v)); });
    });
    FrontierSize sum{0, 0};
    for (const Found& found : found_) {
      queue_.set_next(frontier_.vertices + sum.vertices, found.vertices);
      sum = sum + FrontierSize{std::ssize(found.vertices), found.arcs};
    }
    return sum;
  }

  Found& found_by(int thread) { return found_[static_cast<std::size_t>(thread)]; }

  /// Returns the degree of v and prefetches its row, which the next level reads.
  edge_t prefetch_row(vertex_t v) const {
    const edge_t begin = graph_.begin(v);
    __builtin_prefetch(&graph_.heads[begin]);
    return graph_.end(v) - begin;
  }

  void advance_bottom_up() {
    if (is_queued_) bottom_up_.begin(depth_);
    is_queued_ = false;
    frontier_ = bottom_up_.advance(depth_, frontier_.arcs);
  }

  const CsrPattern& graph_;
  vertex_t limit_;
  const bool has_targets_;
  std::span<const vertex_t> targets_;  // the first of them, up to one that is unreached
  vertex_t* hops_;
  SmallestTail* predecessors_;
  DirectionHeuristic heuristic_;
  const bool has_low_degree_;
  vertex_t depth_ = 0;
  FrontierSize frontier_{0, 0};
  // After a top-down level the frontier is in the queue, after a bottom-up level in bottom_up_.
  FrontierQueue queue_;
  bool is_queued_ = true;
  bool is_kept_together_ = false;
  std::vector<Found> found_;  // of each thread, before it is copied to the queue
  BottomUpLevels<with_predecessors> bottom_up_;
};

/// Returns whether delta-stepping takes less time on a deep graph: on a grid of 4900 x 4900 16
/// threads take 73 milliseconds, and 130 by levels; 4 take 210 either way. Two take a sixth less on
/// roads, and a tenth more with the tree.
bool may_use_delta_stepping(const CsrPattern& graph, const BfsOptions& options, bool with_tree) {
  const int min_threads = graph.n_arcs < 3 * edge_t{graph.n_vertices} && !with_tree ? 2 : 4;
  return graph.has_low_degree() && shortest_paths::threads_for(graph.n_arcs) >= min_threads &&
         options.budget.has(
             shortest_paths::min_list_bytes<vertex_t>(graph.n_vertices, graph.n_arcs));
}

/// Searches by delta-stepping with arcs of length 1. A bucket is some hops wide, so threads
/// synchronise less often than once per level. Each searches from vertices that it reached, which
/// its cache holds.
void search_by_delta_stepping(const CsrPattern& graph, const BfsOptions& options,
                              std::span<vertex_t> hops, std::span<vertex_t> predecessors) {
  SsspOptions<vertex_t> sssp;
  sssp.limit = options.limit;
  sssp.targets = options.targets;
  sssp.budget = options.budget.before(hops.size_bytes());
  sssp_cpu(CsrView<vertex_t>{graph}, options.source, sssp, {hops, {}});
  complete_hops(graph, options.symmetric, hops, predecessors);
}

template <bool with_predecessors>
void search(const CsrPattern& graph, const BfsOptions& options, std::span<vertex_t> hops,
            std::span<vertex_t> predecessors) {
  const bool ends_if_deep = may_use_delta_stepping(graph, options, with_predecessors);
  bool found = false;
  const auto search_levels = [&] {
    DirectionOptimizingBfs<with_predecessors> bfs(graph, options, hops, predecessors);
    found = bfs.run(ends_if_deep);
  };
  if (graph.n_vertices + graph.n_arcs < min_pool_size) {
    const CallThreads one(1);
    search_levels();
  } else {
    with_spinning_pool(search_levels);
  }
  if (!found) search_by_delta_stepping(graph, options, hops, predecessors);
}

}  // namespace

MemoryNeed need_of_bfs(const CsrPattern& graph, const BfsOptions& options) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  return {"breadth-first search",
          n * sizeof(vertex_t) + (has_entering_arcs(options) ? n / 8 * 3 : 0),
          "search a smaller graph"};
}

void bfs_cpu(const CsrPattern& graph, const BfsOptions& options, std::span<vertex_t> hops,
             std::span<vertex_t> predecessors) {
  options.budget.require(need_of_bfs(graph, options));
  if (predecessors.empty()) {
    search<false>(graph, options, hops, predecessors);
  } else {
    search<true>(graph, options, hops, predecessors);
  }
}

}  // namespace warpgraph
