#include "algorithms/pagerank/push/push.hpp"
#include "algorithms/pagerank/push/residuals.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"

#include <atomic>
#include <functional>

namespace warpgraph {
namespace pagerank {
namespace {

/// The arcs of a chunk of a row.
constexpr edge_t chunk_arcs = 1 << 11;
/// The fewest arcs along which several threads push: the calling thread alone pushes along fewer in
/// less time than waking the others takes.
constexpr edge_t min_parallel_arcs = 1 << 15;
/// The fewest vertices that several threads search for large residuals.
constexpr std::int64_t min_parallel_vertices = 1 << 16;
constexpr std::int64_t chunks_per_block = 64;
constexpr std::int64_t vertices_per_block = 1 << 12;

std::int64_t max_chunks(const CsrPattern& graph) {
  return graph.n_vertices + graph.n_arcs / chunk_arcs;
}

std::int64_t chunks_of(edge_t degree) { return (degree + chunk_arcs - 1) / chunk_arcs; }

template <class T>
T add(std::atomic<T>& place, T amount) {
  return place.fetch_add(amount, std::memory_order_relaxed);
}

template <class W>
class HostPush {
 public:
  HostPush(const CsrView<W>& graph, const PushVectors& vectors, const PushOptions& options,
           std::span<double> scores)
      : personalization_(support(vectors.personalization, graph.n_vertices)),
        dangling_(support(vectors.dangling, graph.n_vertices)),
        limits_(options),
        residuals_(graph.n_vertices),
        reached_(graph.n_vertices),
        chunks_(max_chunks(graph)),
        view_{graph, vectors.weight_sums.data(), options.alpha, residuals_.get(), scores.data()} {}

  PushResult run() {
    start();
    while (!limits_.has_ended(state_)) {
      report_progress(state_.rounds, limits_.max_rounds);
      const std::int64_t n_reached = n_reached_;
      PushTotals totals = fill_frontier(n_reached);
      state_.count_visits(totals, n_reached);
      if (limits_.is_too_long(state_)) break;
      totals.given = push_frontier(totals.arcs);
      state_.end_round(totals);
      if (state_.spreads()) spread(dangling_);
    }
    const PushResult result = limits_.result(state_);
    if (state_.pool > 0) spread(dangling_);
    write_scores();
    report_progress(limits_.max_rounds, limits_.max_rounds);
    return result;
  }

 private:
  static Support support(const SparseDistribution& from, vertex_t n_vertices) {
    return {from, from.vertices.data(), from.values.data(), n_vertices};
  }
  static bool is_parallel(std::int64_t n, std::int64_t least) {
    return n >= least && num_threads() > 1;
  }
  /// Returns the size of a block; a loop of less than the least parallel size has one block.
  static std::int64_t grain(std::int64_t n, std::int64_t least, std::int64_t of_block) {
    return n < least ? n : of_block;
  }

  void start() {
    parallel_for(
        view_.graph.n_vertices,
        [&](std::int64_t v) {
          view_.residuals[v] = 0;
          view_.scores[v] = 0;
        },
        light_grain);
    spread(personalization_);
  }

  /// Distributes the pool.
  void spread(const Support& to) {
    const Units given = is_parallel(to.size, min_parallel_arcs) ? give_all<true>(to, state_.pool)
                                                                : give_all<false>(to, state_.pool);
    state_.end_spread(given, to.size);
  }
  template <bool parallel>
  Units give_all(const Support& to, Units amount) {
    return parallel_reduce(
        to.size, Units{0},
        [&](std::int64_t i) {
          const Units share = to.share(amount, i);
          give<parallel>(to.vertex(i), share);
          return share;
        },
        std::plus<>{}, grain(to.size, min_parallel_arcs, vertices_per_block));
  }

  /// Adds to a place and returns the number that was there.
  template <bool parallel>
  static std::int64_t fetch_add(std::int64_t& place, std::int64_t amount) {
    if constexpr (parallel) {
      return std::atomic_ref<std::int64_t>(place).fetch_add(amount, std::memory_order_relaxed);
    } else {
      return std::exchange(place, place + amount);
    }
  }

  /// Adds an amount to the residual of v; if `parallel`, other threads do the same.
  template <bool parallel>
  void give(vertex_t v, Units amount) {
    if (amount == 0) return;
    const Units before = fetch_add<parallel>(view_.residuals[v], amount);
    // This is its first residual: a vertex that has been pushed has a score. Scores do not change
    // now.
    if (before == 0 && view_.scores[v] == 0) reached_[fetch_add<parallel>(n_reached_, 1)] = v;
  }

  /// Takes the residuals of the vertices that the round pushes, and lists the chunks of their rows.
  PushTotals fill_frontier(std::int64_t n_reached) {
    n_chunks_ = 0;
    const Units threshold = state_.threshold(n_reached);
    std::atomic<Units> taken{0};
    std::atomic<Units> dangling{0};
    std::atomic<std::int64_t> arcs{0};
    parallel_blocks(n_reached, grain(n_reached, min_parallel_vertices, vertices_per_block),
                    [&](int, std::int64_t first, std::int64_t last) {
                      const PushTotals totals = fill_block(threshold, first, last);
                      add(taken, totals.taken);
                      add(dangling, totals.dangling);
                      add(arcs, totals.arcs);
                    });
    return {taken, dangling, 0, arcs};
  }

  /// Fills the frontier from a block of the vertices reached, and appends all of its chunks at
  /// once.
  PushTotals fill_block(Units threshold, std::int64_t first, std::int64_t last) {
    std::int64_t n_chunks = 0;
    for (std::int64_t i = first; i < last; ++i) {
      if (view_.residuals[reached_[i]] < threshold) continue;
      n_chunks += chunks_of(view_.graph.degree(reached_[i]));
    }
    FrontierChunk* chunk = chunks_.get() + fetch_add<true>(n_chunks_, n_chunks);
    PushTotals totals;
    for (std::int64_t i = first; i < last; ++i) {
      const vertex_t v = reached_[i];
      if (view_.residuals[v] >= threshold) chunk = take(v, chunk, totals);
    }
    return totals;
  }

  /// Takes the residual of v, writes the chunks of its row, and returns the place after them.
  FrontierChunk* take(vertex_t v, FrontierChunk* chunk, PushTotals& totals) {
    const Units amount = std::exchange(view_.residuals[v], 0);
    view_.scores[v] += static_cast<double>(amount);
    const double per_weight = view_.take(v, amount, totals);
    const edge_t degree = view_.graph.degree(v);
    for (std::int64_t i = 0; i < chunks_of(degree); ++i) {
      *chunk++ = {v, static_cast<std::uint32_t>(i), per_weight};
    }
    return chunk;
  }

  /// Pushes the frontier and returns the sum of the residuals given.
  Units push_frontier(edge_t n_arcs) {
    return is_parallel(n_arcs, min_parallel_arcs) ? push_chunks<true>(n_arcs)
                                                  : push_chunks<false>(n_arcs);
  }
  template <bool parallel>
  Units push_chunks(edge_t n_arcs) {
    const std::int64_t block = n_arcs < min_parallel_arcs ? n_chunks_ : chunks_per_block;
    return parallel_reduce(
        n_chunks_, Units{0}, [&](std::int64_t i) { return push<parallel>(chunks_[i]); },
        std::plus<>{}, block);
  }
  template <bool parallel>
  Units push(const FrontierChunk& chunk) {
    const CsrView<W>& graph = view_.graph;
    const edge_t first = graph.begin(chunk.vertex) + edge_t{chunk.index} * chunk_arcs;
    const edge_t last = std::min(graph.end(chunk.vertex), first + chunk_arcs);
    Units given = 0;
    for (edge_t e = first; e < last; ++e) {
      const Units share = view_.share(chunk.per_weight, e);
      give<parallel>(graph.heads[e], share);
      given += share;
    }
    return given;
  }

  void write_scores() {
    parallel_for(
        n_reached_,
        [&](std::int64_t i) {
          const vertex_t v = reached_[i];
          view_.scores[v] = state_.score(view_.scores[v], view_.residuals[v]);
        },
        light_grain);
  }

  const Support personalization_;
  const Support dangling_;
  const PushLimits limits_;
  const HostArray<Units> residuals_;
  const HostArray<vertex_t> reached_;      // in the order of their first residual
  const HostArray<FrontierChunk> chunks_;  // of the rows of the frontier
  const PushView<W> view_;
  PushState state_ = first_push_state();
  std::int64_t n_reached_ = 0;
  std::int64_t n_chunks_ = 0;
};

}  // namespace
}  // namespace pagerank

MemoryNeed need_of_pushes(const CsrPattern& graph) {
  using namespace pagerank;
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  return {"PageRank by pushes",
          n * (sizeof(Units) + sizeof(vertex_t)) +
              static_cast<std::size_t>(max_chunks(graph)) * sizeof(FrontierChunk),
          "use method=\"pull\" or a smaller graph"};
}

template <class W>
PushResult pagerank_push_cpu(const CsrView<W>& graph, const PushVectors& vectors,
                             const PushOptions& options, PageRankScores scores) {
  options.budget.require(need_of_pushes(graph));
  return pagerank::HostPush<W>(graph, vectors, options, scores.items).run();
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(pagerank_push_cpu)

}  // namespace warpgraph
