// Bellman-Ford in rounds: round r relaxes the arcs of the vertices that were lowered in round r-1.
//
// A vertex that is lowered while round r relaxes it, or later in round r, is marked with r and is
// relaxed again in round r+1: no lowering is missed, whatever the order of the threads. A thread
// publishes the vertices that it lowered as its part of the next frontier, so a round has one
// barrier.
#include "algorithms/sssp/searches.hpp"
#include "primitives/search/work_sharing.hpp"

#include <array>
#include <vector>

namespace warpgraph::shortest_paths {
namespace {

/// A check for negative cycles costs as much as relaxing all arcs a few times. So the first check
/// comes after many rounds, or after the work of relaxing all arcs several times; the next when
/// either has doubled.
constexpr std::int32_t rounds_before_first_check = 64;
constexpr edge_t passes_before_first_check = 8;

/// One thread's part of a round's frontier. Other threads read it between two barriers.
struct FrontierPart {
  // This is in a cache line of its own: the other members are read by all threads when a round
  // begins.
  alignas(64) std::atomic<std::int64_t> taken{0};  // of `size`
  alignas(64) const vertex_t* vertices = nullptr;
  std::int64_t size = 0;
  edge_t arcs = 0;    // that the thread has relaxed so far
  bool stop = false;  // the thread requests that all threads stop

  void set(const vertex_t* list, std::int64_t list_size) noexcept {
    vertices = list;
    size = list_size;
    taken.store(0, std::memory_order_relaxed);
  }
};

template <class W, bool shared>
class BellmanFord {
 public:
  BellmanFord(const CsrView<W>& graph, std::span<const vertex_t> sources,
              const SsspOptions<W>& options, std::span<W> distances, int threads)
      : graph_(graph),
        negative_weights_(options.negative_weights),
        // With negative weights, a sum beyond the limit may decrease again.
        limit_(negative_weights_ ? infinity<W>() : options.limit),
        chunk_size_(chunk_size_of(graph)),
        distances_(distances),
        lowered_in_(distances.size()),
        lowered_by_(static_cast<std::size_t>(threads)),
        check_at_arcs_(passes_before_first_check * (edge_t{graph.n_vertices} + graph.n_arcs)) {
    for (std::vector<FrontierPart>& parts : parts_) {
      parts = std::vector<FrontierPart>(static_cast<std::size_t>(threads));
    }
    parts_[0][0].set(sources.data(), static_cast<std::int64_t>(sources.size()));
  }

  void run() {
    const auto threads = static_cast<int>(lowered_by_.size());
    for (;;) {
      run_team(threads, [this](const Team& team) { run_thread(team); });
      const Totals totals = totals_of(parts_of(round_));
      if (totals.size == 0) return;
      // The check is outside of the parallel region: distances must not change during it.
      check_negative_cycle<W>(graph_, distances_, round_ <= graph_.n_vertices);
      check_at_round_ = 2 * round_;
      check_at_arcs_ = 2 * totals.arcs;
      for (FrontierPart& part : parts_of(round_)) part.stop = false;
    }
  }

 private:
  using Lists = std::array<std::vector<vertex_t>, 2>;  // lowered in this and in the last round

  /// Returns the frontier of a round: of round_ (lowered in the round before), or of the next.
  std::vector<FrontierPart>& parts_of(std::int32_t round) {
    return parts_[static_cast<std::size_t>(round % 2)];
  }

  /// The sums over all parts of a frontier.
  struct Totals {
    std::int64_t size = 0;
    edge_t arcs = 0;
    bool stop = false;
  };
  static Totals totals_of(const std::vector<FrontierPart>& parts) {
    Totals totals;
    for (const FrontierPart& part : parts) {
      totals.size += part.size;
      totals.arcs += part.arcs;
      totals.stop = totals.stop || part.stop;
    }
    return totals;
  }

  void run_thread(const Team& team) {
    const auto rank = static_cast<std::size_t>(team.rank());
    // Every thread has its own copy of the round's number; all copies are equal.
    for (std::int32_t round = round_;; ++round) {
      team.barrier();
      std::vector<FrontierPart>& parts = parts_of(round);
      if (rank == 0) round_ = round;
      const Totals totals = totals_of(parts);
      if (totals.stop || totals.size == 0) return;
      FrontierPart& next = parts_of(round + 1)[rank];
      next.stop = !team.guard([&] { relax_round(team, parts, round + 1, next); });
      if (rank == 0 && !next.stop) next.stop = should_stop(team, totals, round + 1);
    }
  }

  /// Relaxes the thread's share of the frontier, and publishes the vertices that it lowers.
  void relax_round(const Team& team, std::vector<FrontierPart>& parts, std::int32_t round,
                   FrontierPart& next) {
    const auto rank = static_cast<std::size_t>(team.rank());
    std::vector<vertex_t>& lowered = lowered_by_[rank][static_cast<std::size_t>(round % 2)];
    lowered.clear();  // a part of the frontier before the last
    next.set(nullptr, 0);
    next.arcs = parts[rank].arcs;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      FrontierPart& part = parts[(rank + i) % parts.size()];
      const vertex_t* const vertices = part.vertices;
      take_chunks(part.size, part.taken, chunk_size_, i == 0, team, [&](const Chunk& chunk) {
        for (std::int64_t j = chunk.first; j < chunk.last; ++j) {
          if (j + vertex_ahead < chunk.end)
            prefetch_vertex(graph_, distances_.data(), vertices[j + vertex_ahead]);
          if (j + arcs_ahead < chunk.end) prefetch_arcs(vertices[j + arcs_ahead]);
          relax(vertices[j], round, lowered);
          next.arcs += graph_.degree(vertices[j]);
        }
      });
    }
    next.set(lowered.data(), static_cast<std::int64_t>(lowered.size()));
  }

  /// Relaxes the arcs of u, and adds the heads that no arc has lowered in this round before.
  void relax(vertex_t u, std::int32_t round, std::vector<vertex_t>& lowered) {
    W* const distance = distances_.data();
    const W from = shared ? relaxed_load(distance[u]) : distance[u];
    for (edge_t e = graph_.begin(u), end = graph_.end(u); e < end; ++e) {
      const vertex_t v = graph_.heads[e];
      const W through = extend(from, weight_of(graph_, e));
      if (through <= limit_ && lower_distance<shared>(distance[v], through) &&
          is_first_to_lower(v, round)) {
        lowered.push_back(v);
      }
    }
  }

  [[gnu::always_inline]] void prefetch_arcs(vertex_t u) const {
    const edge_t first = graph_.begin(u);
    __builtin_prefetch(graph_.heads + first);
    if (graph_.weights != nullptr) __builtin_prefetch(graph_.weights + first);
  }

  bool is_first_to_lower(vertex_t v, std::int32_t round) {
    std::int32_t& mark = lowered_in_[static_cast<std::size_t>(v)];
    if constexpr (shared) return relaxed_load(mark) != round && exchange(mark, round) != round;
    return std::exchange(mark, round) != round;
  }

  /// Returns whether all threads should stop, after an exception or for a check for negative
  /// cycles. Reports progress and handles Ctrl-C; thread 0 calls this.
  bool should_stop(const Team& team, const Totals& totals, std::int32_t round) {
    n_settled_ = std::max(n_settled_, graph_.n_vertices - totals.size);
    const bool completed = team.guard([&] { report_progress(n_settled_, graph_.n_vertices); });
    return !completed ||
           (negative_weights_ && (round >= check_at_round_ || totals.arcs >= check_at_arcs_));
  }

  const CsrView<W> graph_;
  const bool negative_weights_;
  const W limit_;
  const std::int64_t chunk_size_;
  const std::span<W> distances_;
  std::vector<std::int32_t> lowered_in_;  // the last round in which the vertex was lowered
  std::vector<Lists> lowered_by_;         // by thread
  std::array<std::vector<FrontierPart>, 2> parts_;
  std::int32_t round_ = 0;
  std::int32_t check_at_round_ = rounds_before_first_check;
  edge_t check_at_arcs_;
  std::int64_t n_settled_ = 0;
};

}  // namespace

template <class W>
void bellman_ford(const CsrView<W>& graph, std::span<const vertex_t> sources,
                  const SsspOptions<W>& options, std::span<W> distances) {
  const int threads = threads_for(graph.n_arcs);
  if (threads == 1) {
    BellmanFord<W, false>(graph, sources, options, distances, 1).run();
  } else {
    BellmanFord<W, true>(graph, sources, options, distances, threads).run();
  }
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bellman_ford)

}  // namespace warpgraph::shortest_paths
