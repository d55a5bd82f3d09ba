// Bellman-Ford in rounds: round r relaxes the arcs of the vertices that were lowered in round r-1.
#include "algorithms/sssp/steps.hpp"
#include "core/atomics.hpp"
#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace warpgraph::sssp_steps {
namespace {

constexpr std::int64_t vertices_per_block = 512;

/// Looking for a negative cycle is as much work as relaxing all arcs a few times, so it waits for
/// many rounds, or the work of relaxing all arcs a few times more, and then until either doubled.
constexpr std::int32_t rounds_before_first_look = 64;
constexpr edge_t passes_before_first_look = 8;

template <class W>
class BellmanFord {
 public:
  BellmanFord(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
              std::span<W> distances)
      : graph_(graph),
        negative_weights_(options.negative_weights),
        // Sums that may fall again must not be cut off.
        limit_(options.negative_weights ? infinity<W>() : options.limit),
        distances_(distances),
        look_at_arcs_(passes_before_first_look * (edge_t{graph.n_vertices} + graph.n_arcs)),
        lowered_in_(static_cast<std::size_t>(graph.n_vertices)),
        lowered_by_(static_cast<std::size_t>(num_threads())),
        frontier_{source} {}

  void run() {
    std::int64_t done = 0;
    while (!frontier_.empty()) {
      ++round_;
      relax_frontier();
      collect_lowered();
      const auto lowered = static_cast<std::int64_t>(frontier_.size());
      done = std::max(done, graph_.n_vertices - lowered);
      report_progress(done, graph_.n_vertices);
      if (negative_weights_) look_for_cycle_now_and_then();
    }
  }

 private:
  void look_for_cycle_now_and_then() {
    if (round_ < look_at_round_ && relaxed_arcs_ < look_at_arcs_) return;
    look_at_round_ = 2 * round_;
    look_at_arcs_ = 2 * relaxed_arcs_;
    look_for_negative_cycle<W>(graph_, distances_, round_ <= graph_.n_vertices);
  }

  void relax_frontier() {
    std::atomic<edge_t> arcs{0};
    parallel_blocks(static_cast<std::int64_t>(frontier_.size()), vertices_per_block,
                    [&](int thread, std::int64_t first, std::int64_t last) {
                      edge_t count = 0;
                      auto& lowered = lowered_by_[static_cast<std::size_t>(thread)];
                      for (std::int64_t i = first; i < last; ++i) {
                        count += relax(frontier_[static_cast<std::size_t>(i)], lowered);
                      }
                      arcs.fetch_add(count, std::memory_order_relaxed);
                    });
    relaxed_arcs_ += arcs.load();
  }

  /// A vertex that is lowered while or after this reads its distance is in the next frontier.
  edge_t relax(vertex_t u, std::vector<vertex_t>& lowered) {
    const W at = relaxed_load(distances_[static_cast<std::size_t>(u)]);
    for (edge_t e = graph_.begin(u), end = graph_.end(u); e < end; ++e) {
      const vertex_t v = graph_.heads[e];
      const W through = extend(at, weight_of(graph_, e));
      if (!(through <= limit_ && lower(distances_[static_cast<std::size_t>(v)], through))) continue;
      std::int32_t& mark = lowered_in_[static_cast<std::size_t>(v)];
      if (relaxed_load(mark) != round_ && exchange(mark, round_) != round_) lowered.push_back(v);
    }
    return graph_.degree(u);
  }

  void collect_lowered() {
    frontier_.clear();
    for (std::vector<vertex_t>& lowered : lowered_by_) {
      frontier_.insert(frontier_.end(), lowered.begin(), lowered.end());
      lowered.clear();
    }
  }

  const CsrView<W> graph_;
  const bool negative_weights_;
  const W limit_;
  const std::span<W> distances_;
  std::int32_t round_ = 0;
  edge_t relaxed_arcs_ = 0;
  std::int32_t look_at_round_ = rounds_before_first_look;
  edge_t look_at_arcs_;
  std::vector<std::int32_t> lowered_in_;           // the last round in which a vertex was lowered
  std::vector<std::vector<vertex_t>> lowered_by_;  // by thread, in this round
  std::vector<vertex_t> frontier_;
};

}  // namespace

template <class W>
void bellman_ford(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
                  std::span<W> distances) {
  BellmanFord<W>(graph, source, options, distances).run();
}

#define WARPGRAPH_INSTANTIATE(W) \
  template void bellman_ford<W>(const CsrView<W>&, vertex_t, const SsspOptions<W>&, std::span<W>);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::sssp_steps
