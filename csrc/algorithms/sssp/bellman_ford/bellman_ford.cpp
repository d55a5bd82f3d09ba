// Bellman-Ford in rounds: round r relaxes the arcs of the vertices that were lowered in round r-1.
//
// A vertex that is lowered while round r relaxes it, or after that, is marked with r and so is
// relaxed again in round r+1: no lowering is missed, whatever the threads' order. What a thread
// lowered is its offer for the next round, so a round has one barrier.
#include "algorithms/sssp/searches.hpp"
#include "primitives/search/offers.hpp"

#include <array>
#include <vector>

namespace warpgraph::shortest_paths {
namespace {

/// Looking for a negative cycle is as much work as relaxing all arcs a few times, so it waits for
/// many rounds, or the work of relaxing all arcs a few times more, and then until either doubled.
constexpr std::int32_t rounds_before_first_look = 64;
constexpr edge_t passes_before_first_look = 8;

/// One thread's part of a round's frontier.
struct FrontierOffer : Offer {
  edge_t arcs = 0;     // that the thread has relaxed so far
  bool leave = false;  // the thread wants all to stop
};

template <class W, bool shared>
class BellmanFord {
 public:
  BellmanFord(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
              std::span<W> distances, int threads)
      : graph_(graph),
        negative_weights_(options.negative_weights),
        // Sums that may fall again must not be cut off.
        arcs_(graph, negative_weights_ ? infinity<W>() : options.limit, distances.data()),
        distances_(distances),
        source_(source),
        lowered_in_(distances.size()),
        lowered_by_(static_cast<std::size_t>(threads)),
        look_at_arcs_(passes_before_first_look * (edge_t{graph.n_vertices} + graph.n_arcs)) {
    for (std::vector<FrontierOffer>& offers : offers_) {
      offers = std::vector<FrontierOffer>(static_cast<std::size_t>(threads));
    }
    offers_[0][0].set(&source_, 1);
  }

  void run() {
    const auto threads = static_cast<int>(lowered_by_.size());
    for (;;) {
      run_team(threads, [this](const Team& team) { work(team); });
      if (frontier_size() == 0) return;
      // The team came back for this, since distances must stand still meanwhile.
      look_for_negative_cycle<W>(graph_, distances_, round_ <= graph_.n_vertices);
      look_at_round_ = 2 * round_;
      look_at_arcs_ = 2 * relaxed_arcs();
      for (FrontierOffer& offer : offers_of(round_)) offer.leave = false;
    }
  }

 private:
  using Lists = std::array<std::vector<vertex_t>, 2>;  // lowered in this round; in the last

  /// Of round_ (what was lowered in the round before), or of the next.
  std::vector<FrontierOffer>& offers_of(std::int32_t round) {
    return offers_[static_cast<std::size_t>(round % 2)];
  }

  std::int64_t frontier_size() {
    std::int64_t size = 0;
    for (const FrontierOffer& offer : offers_of(round_)) size += offer.size;
    return size;
  }

  edge_t relaxed_arcs() {
    edge_t arcs = 0;
    for (const FrontierOffer& offer : offers_of(round_)) arcs += offer.arcs;
    return arcs;
  }

  void work(const Team& team) {
    const auto rank = static_cast<std::size_t>(team.rank());
    // Every member counts for itself, and all alike.
    for (std::int32_t round = round_;; ++round) {
      team.barrier();
      std::vector<FrontierOffer>& offers = offers_of(round);
      if (rank == 0) round_ = round;
      if (is_over(offers)) return;
      FrontierOffer& next = offers_of(round + 1)[rank];
      next.leave = !team.guard([&] { relax_round(team, offers, round + 1, next); });
      if (rank == 0 && !next.leave) next.leave = wants_to_stop(team, offers, round + 1);
    }
  }

  static bool is_over(const std::vector<FrontierOffer>& offers) {
    bool empty = true;
    for (const FrontierOffer& offer : offers) {
      if (offer.leave) return true;
      empty = empty && offer.size == 0;
    }
    return empty;
  }

  /// Relaxes what is on offer, and offers what it lowers in turn.
  void relax_round(const Team& team, std::vector<FrontierOffer>& offers, std::int32_t round,
                   FrontierOffer& next) {
    const auto rank = static_cast<std::size_t>(team.rank());
    std::vector<vertex_t>& lowered = lowered_by_[rank][static_cast<std::size_t>(round % 2)];
    lowered.clear();  // on offer in the round before the last
    next.set(nullptr, 0);
    next.arcs = offers[rank].arcs;
    const auto mark = [&](vertex_t v, W) {
      if (is_first_to_lower(v, round)) lowered.push_back(v);
    };
    for (std::size_t i = 0; i < offers.size(); ++i) {
      FrontierOffer& offer = offers[(rank + i) % offers.size()];
      arcs_.for_pieces(offer, i == 0, team, [&](vertex_t u) {
        arcs_.relax(u, arcs_.distance_of(u), mark);
        next.arcs += graph_.degree(u);
      });
    }
    next.set(lowered.data(), static_cast<std::int64_t>(lowered.size()));
  }

  bool is_first_to_lower(vertex_t v, std::int32_t round) {
    std::int32_t& mark = lowered_in_[static_cast<std::size_t>(v)];
    if constexpr (shared) return relaxed_load(mark) != round && exchange(mark, round) != round;
    return std::exchange(mark, round) != round;
  }

  /// Member 0's business: progress, Ctrl-C, and whether it is time to look for a negative cycle.
  bool wants_to_stop(const Team& team, const std::vector<FrontierOffer>& offers,
                     std::int32_t round) {
    std::int64_t frontier = 0;
    edge_t arcs = 0;
    for (const FrontierOffer& offer : offers) {
      frontier += offer.size;
      arcs += offer.arcs;
    }
    settled_ = std::max(settled_, graph_.n_vertices - frontier);
    const bool went_on = team.guard([&] { report_progress(settled_, graph_.n_vertices); });
    return !went_on || (negative_weights_ && (round >= look_at_round_ || arcs >= look_at_arcs_));
  }

  const CsrView<W> graph_;
  const bool negative_weights_;
  const Relaxation<W, shared> arcs_;
  const std::span<W> distances_;
  const vertex_t source_;
  std::vector<std::int32_t> lowered_in_;  // the last round in which a vertex was lowered
  std::vector<Lists> lowered_by_;         // by thread
  std::array<std::vector<FrontierOffer>, 2> offers_;
  std::int32_t round_ = 0;
  std::int32_t look_at_round_ = rounds_before_first_look;
  edge_t look_at_arcs_;
  std::int64_t settled_ = 0;
};

}  // namespace

template <class W>
void bellman_ford(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
                  std::span<W> distances) {
  const int threads = threads_for(graph.n_arcs);
  if (threads == 1) {
    BellmanFord<W, false>(graph, source, options, distances, 1).run();
  } else {
    BellmanFord<W, true>(graph, source, options, distances, threads).run();
  }
}

#define WARPGRAPH_INSTANTIATE(W) \
  template void bellman_ford<W>(const CsrView<W>&, vertex_t, const SsspOptions<W>&, std::span<W>);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::shortest_paths
