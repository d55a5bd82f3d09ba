#include "algorithms/bfs/bfs.hpp"
#include "algorithms/bfs/bottom_up.hpp"
#include "algorithms/bfs/direction_heuristic.hpp"
#include "algorithms/bfs/hop_predecessors.hpp"
#include "algorithms/sssp/sssp.hpp"
#include "core/atomics.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/search/bucket_search.hpp"
#include "primitives/search/work_sharing.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace warpgraph {
namespace {

/// The calling thread alone expands a frontier that is smaller in both respects: it takes less time
/// than passing the work to the spinning threads of the pool and fetching their writes back. With
/// 512 vertices, two threads took 84 instead of 58 milliseconds on a grid of 1024 x 1024.
constexpr std::int64_t min_parallel_frontier = 4096;
constexpr edge_t min_parallel_arcs = 1 << 14;
/// Where vertices have few arcs, they are next to those of the level before, which the thread has
/// in its cache: on a grid of 4900 x 4900 two threads took 460 milliseconds and one 405.
constexpr int factor_of_low_degree = 8;
/// A smaller graph takes less time than waking other threads.
constexpr edge_t min_pool_size = 1 << 16;
/// All threads share a row with more arcs.
constexpr edge_t max_unshared_degree = 1 << 13;
constexpr edge_t arcs_per_block = 1 << 11;
/// A frontier of more than n_vertices / sweep_divisor vertices is found by a sweep over `hops`
/// instead of read from the queue: reading that many rows in vertex order saves more than the sweep
/// costs.
constexpr vertex_t sweep_divisor = 16;
/// Queued vertices per block of work. Small, since one of them may be a hub.
constexpr std::int64_t vertices_per_block = 64;
constexpr std::int64_t vertices_between_polls = 1 << 12;
/// A core takes about as long for an arc either way.
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
        hops_(hops.data()),
        // As an unsigned number, no_vertex is larger than every vertex, so taking the minimum needs
        // no special case.
        predecessors_(reinterpret_cast<std::uint32_t*>(predecessors.data())),
        heuristic_(has_entering_arcs(options), graph.n_vertices, graph.n_arcs, cost_of_bottom_up),
        has_low_degree_(graph.has_low_degree()),
        queue_(std::ssize(hops)),
        buffers_(static_cast<std::size_t>(num_threads())),
        bottom_up_(graph,
                   options.symmetric || options.transposed == nullptr ? graph : *options.transposed,
                   !with_predecessors || options.ascending_heads, hops_, predecessors_) {
    parallel_for(
        graph.n_vertices,
        [&](std::int64_t v) {
          hops_[v] = unreached;
          if constexpr (with_predecessors) predecessors_[v] = static_cast<std::uint32_t>(no_vertex);
        },
        light_grain);
    hops_[options.source] = 0;
    queue_[queue_end_++] = options.source;
    frontier_ = {1, graph.degree(options.source)};
  }

  /// If `ends_if_deep`, ends with false as soon as the graph proves deep.
  bool run(bool ends_if_deep) {
    std::int64_t reached = 0;
    while (frontier_.vertices > 0 && depth_ < limit_) {
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
    return true;
  }

 private:
  [[nodiscard]] bool is_worth_all_threads() const noexcept {
    const int factor = has_low_degree_ ? factor_of_low_degree : 1;
    return buffers_.size() > 1 && (frontier_.vertices >= factor * min_parallel_frontier ||
                                   frontier_.arcs >= factor * min_parallel_arcs);
  }

  /// `parallel`: all threads take part.
  template <bool parallel>
  void advance_top_down() {
    const FrontierSize frontier = std::exchange(frontier_, {0, 0});
    if (!is_queued_) {
      expand_bits<parallel>();
    } else if (frontier.vertices > graph_.n_vertices / sweep_divisor) {
      sweep_hops<parallel>();
    } else {
      expand_queue<parallel>(&queue_[queue_end_ - frontier.vertices], frontier.vertices);
    }
    is_queued_ = true;
  }

  /// The frontier is in bottom_up_.
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

  /// Finds the frontier by its hops.
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
  void expand_queue(const vertex_t* frontier, std::int64_t n) {
    std::atomic<bool> has_shared_row{false};
    enqueue_found<parallel>(n, parallel ? vertices_per_block : vertices_between_polls,
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
    if (has_shared_row) expand_shared_rows(frontier, n);
  }

  /// The rows of a queued frontier that expand_queue leaves out.
  void expand_shared_rows(const vertex_t* frontier, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
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

  /// The same for the arcs first .. last of u.
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
      if constexpr (with_predecessors) lower_predecessor<parallel>(predecessors_[v], u);
    }
  }

  template <bool parallel>
  static bool claim(vertex_t& hops, vertex_t depth) {
    if constexpr (parallel) return compare_and_swap(hops, unreached, depth);
    hops = depth;
    return true;
  }

  template <bool parallel>
  static void lower_predecessor(std::uint32_t& predecessor, vertex_t u) {
    const auto candidate = static_cast<std::uint32_t>(u);
    if constexpr (parallel) {
      lower(predecessor, candidate);
    } else {
      predecessor = std::min(predecessor, candidate);
    }
  }

  /// Calls produce(i, last, found) for blocks of 0..n. The vertices passed to found() are appended
  /// to the queue and to the next frontier.
  template <bool parallel, class Produce>
  void enqueue_found(std::int64_t n, std::int64_t grain, Produce&& produce) {
    FrontierSize found{0, 0};
    if constexpr (parallel) {
      found = enqueue_found_in_parallel(n, grain, produce);
    } else {
      for (std::int64_t i = 0; i < n; i += grain) {
        poll();
        produce(i, std::min(i + grain, n), [&](vertex_t v) {
          queue_[queue_end_ + found.vertices++] = v;
          found.arcs += prefetch_row(v);
        });
      }
    }
    queue_end_ += found.vertices;
    frontier_ = frontier_ + found;
  }

  template <class Produce>
  FrontierSize enqueue_found_in_parallel(std::int64_t n, std::int64_t grain, Produce&& produce) {
    std::atomic<std::int64_t> end{queue_end_};
    std::atomic<edge_t> arcs{0};
    parallel_blocks(n, grain, [&](int thread, std::int64_t i, std::int64_t last) {
      std::vector<vertex_t>& buffer = buffers_[static_cast<std::size_t>(thread)];
      buffer.clear();
      edge_t block_arcs = 0;
      produce(i, last, [&](vertex_t v) {
        buffer.push_back(v);
        block_arcs += prefetch_row(v);
      });
      const std::int64_t start = end.fetch_add(std::ssize(buffer), std::memory_order_relaxed);
      std::copy(buffer.begin(), buffer.end(), &queue_[start]);
      arcs.fetch_add(block_arcs, std::memory_order_relaxed);
    });
    return {end - queue_end_, arcs};
  }

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
  vertex_t* hops_;
  std::uint32_t* predecessors_;
  DirectionHeuristic heuristic_;
  const bool has_low_degree_;
  vertex_t depth_ = 0;
  FrontierSize frontier_{0, 0};
  // All vertices found top-down, each once. After a top-down level the frontier is the tail of the
  // queue; after a bottom-up level it is in bottom_up_ instead.
  HostArray<vertex_t> queue_;
  std::int64_t queue_end_ = 0;
  bool is_queued_ = true;
  std::vector<std::vector<vertex_t>> buffers_;  // per thread, before they are copied to the queue
  BottomUpLevels<with_predecessors> bottom_up_;
};

void require_memory(const CsrPattern& graph, const BfsOptions& options) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  MemoryBudget(Device{}, options.memory_limit)
      .require("breadth-first search",
               n * sizeof(vertex_t) + (has_entering_arcs(options) ? n / 8 * 3 : 0),
               "free some memory or search a smaller graph");
}

/// Whether delta-stepping takes less time on a deep graph: threads share a search whose levels are
/// too small for them. On a grid of 1000 x 1000 two take 22 ms, and 12 by levels; on roads 4 and 6.
/// The tree takes 2 more then, and 4 if it has to be pushed.
bool may_use_delta_stepping(const CsrPattern& graph, const BfsOptions& options, bool with_tree) {
  const int min_threads =
      graph.n_arcs < 3 * edge_t{graph.n_vertices} && (!with_tree || options.symmetric) ? 2 : 4;
  return graph.has_low_degree() && shortest_paths::threads_for(graph.n_arcs) >= min_threads &&
         MemoryBudget(Device{}, options.memory_limit)
             .has(shortest_paths::min_list_bytes<vertex_t>(graph.n_vertices, graph.n_arcs));
}

/// Delta-stepping with arcs of length 1. A bucket is some hops wide, so threads synchronise less
/// often than once per level. Each searches from vertices that it reached, which its cache holds.
void search_by_delta_stepping(const CsrPattern& graph, const BfsOptions& options,
                              std::span<vertex_t> hops, std::span<vertex_t> predecessors) {
  SsspOptions<vertex_t> sssp;
  sssp.limit = options.limit;
  if (options.memory_limit != 0) {
    sssp.memory_limit = options.memory_limit + hops.size_bytes();
  }
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

void bfs_cpu(const CsrPattern& graph, const BfsOptions& options, std::span<vertex_t> hops,
             std::span<vertex_t> predecessors) {
  require_memory(graph, options);
  if (predecessors.empty()) {
    search<false>(graph, options, hops, predecessors);
  } else {
    search<true>(graph, options, hops, predecessors);
  }
}

}  // namespace warpgraph
