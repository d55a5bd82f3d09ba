#include "algorithms/communities/level.hpp"
#include "core/atomics.hpp"
#include "core/containers/radix_sort.hpp"
#include "core/interrupt.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph::communities {
namespace {

/// Vertices between two polls, and the share of them that moves at a time: with more batches, moves
/// are chosen by what is known later, and fewer neighbours move at a time; with fewer, all threads
/// have work. Not measured beyond 2 cores.
constexpr std::int64_t vertices_at_once = 256;
constexpr std::uint64_t n_batches = 32;
/// Gains below this share of the terms that they are the differences of may be rounding.
constexpr double least_gain = 1e-12;

/// A move of a vertex that would increase the quality.
struct Move {
  vertex_t target = no_vertex;
  Weight to_target = 0;  // the weight of edges to the target, and to others of its own community
  Weight to_own = 0;
};

class LocalMoving {
 public:
  LocalMoving(const Level& level, const Objective& objective, Labels& labels)
      : level_(level),
        objective_(objective),
        labels_(labels),
        n_(level.n()),
        masses_(at(n_)),
        members_(at(n_)),
        is_waiting_(at(n_)),
        targets_(at(n_)),
        moves_(at(n_)),
        tables_(at(num_threads())) {}

  bool run() {
    const CallThreads fixed(static_cast<int>(tables_.size()));
    begin();
    bool has_moved = false;
    while (run_round()) has_moved = true;
    return has_moved;
  }

 private:
  void begin() {
    parallel_for(n_, [&](std::int64_t v) {
      masses_[at(v)] = 0;
      members_[at(v)] = 0;
      is_waiting_[at(v)] = 1;
      targets_[at(v)] = no_vertex;
    });
    for (vertex_t v = 0; v < n_; ++v) {
      masses_[at(labels_[at(v)])] += level_.masses[at(v)];
      ++members_[at(labels_[at(v)])];
    }
    for (vertex_t c = n_; c-- > 0;) {
      if (members_[at(c)] == 0) empty_.push_back(c);
    }
    const CounterRandom random(objective_.seed, static_cast<std::uint64_t>(n_));
    order_ = sorted_by_key(n_, [&](std::int64_t v) {
      return static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(v), n_batches));
    });
  }

  /// Looks at all vertices that wait, batch by batch. Returns whether one has moved.
  bool run_round() {
    bool has_moved = false;
    for (std::int64_t first = 0; first < n_;) {
      std::int64_t last = first;
      while (last < n_ && order_[last].word == order_[first].word) ++last;
      propose(first, last);
      has_moved |= make_moves(first, last);
      first = last;
    }
    return has_moved;
  }

  [[nodiscard]] vertex_t vertex(std::int64_t i) const {
    return static_cast<vertex_t>(order_[i].index);
  }

  /// Finds the best move of each vertex of a batch that waits.
  void propose(std::int64_t first, std::int64_t last) {
    parallel_blocks(last - first, vertices_at_once,
                    [&](int thread, std::int64_t from, std::int64_t to) {
                      for (std::int64_t i = first + from; i < first + to; ++i) {
                        const vertex_t v = vertex(i);
                        if (is_waiting_[at(v)] == 0) continue;
                        is_waiting_[at(v)] = 0;
                        moves_[at(v)] = best_move(v, tables_[at(thread)]);
                        targets_[at(v)] = moves_[at(v)].target;
                      }
                    });
  }

  [[nodiscard]] Move best_move(vertex_t v, WeightsByLabel& table) const {
    const vertex_t own = labels_[at(v)];
    table.reserve(std::min<edge_t>(level_.graph.degree(v), n_));
    table.clear();
    for (edge_t e = level_.graph.begin(v); e < level_.graph.end(v); ++e) {
      const vertex_t u = level_.graph.heads[e];
      if (u != v) table.add(labels_[at(u)], level_.weight(e));
    }
    Move best{own, 0, table[own]};
    double most = gain_of_move(v, best);
    table.for_each([&](vertex_t label, Weight weight) {
      // Edges of weight 0 do not connect: a vertex that leaves by one is alone instead.
      if (label == own || weight == 0) return;
      const Move move{label, weight, best.to_own};
      const double gain = gain_of_move(v, move);
      if (gain < most || (gain == most && (best.target == own || label > best.target))) return;
      most = gain;
      best = move;
    });
    const Move alone{empty_community, 0, best.to_own};
    if (members_[at(own)] > 1 && gain_of_move(v, alone) > most) best = alone;
    if (best.target == own || !increases(v, best)) best.target = no_vertex;
    return best;
  }

  static constexpr vertex_t empty_community = -2;

  [[nodiscard]] Weight mass_of(vertex_t label) const {
    return label == empty_community ? 0 : masses_[at(label)];
  }

  /// Returns what the quality gains by a move, compared with v alone in a community: 0 or more for
  /// staying.
  [[nodiscard]] double gain_of_move(vertex_t v, const Move& move) const {
    const Weight mass = level_.masses[at(v)];
    if (move.target == labels_[at(v)]) {
      return objective_.gain(move.to_own, mass, masses_[at(move.target)] - mass);
    }
    return objective_.gain(move.to_target, mass, mass_of(move.target));
  }

  /// Returns whether a move gains more than rounding may.
  [[nodiscard]] bool increases(vertex_t v, const Move& move) const {
    const Weight mass = level_.masses[at(v)];
    const vertex_t own = labels_[at(v)];
    const double of_target = objective_.gain(move.to_target, mass, mass_of(move.target));
    const double of_own = objective_.gain(move.to_own, mass, masses_[at(own)] - mass);
    const double terms =
        static_cast<double>(move.to_target + move.to_own) +
        objective_.penalty * static_cast<double>(mass) *
            (static_cast<double>(mass_of(move.target)) + static_cast<double>(masses_[at(own)]));
    return of_target - of_own > least_gain * terms;
  }

  /// Makes the moves of a batch that do not depend on each other. Returns whether there was one.
  bool make_moves(std::int64_t first, std::int64_t last) {
    movers_.clear();
    for (std::int64_t i = first; i < last; ++i) {
      if (targets_[at(vertex(i))] != no_vertex) movers_.push_back(vertex(i));
    }
    const std::int64_t n_movers = std::ssize(movers_);
    is_blocked_.resize(at(n_movers));
    parallel_for(
        n_movers, [&](std::int64_t i) { is_blocked_[at(i)] = is_blocked(movers_[at(i)]) ? 1 : 0; },
        vertices_at_once);
    std::int64_t n_made = 0;
    for (std::int64_t i = 0; i < n_movers; ++i) {
      const vertex_t v = movers_[at(i)];
      targets_[at(v)] = no_vertex;
      const Move& move = moves_[at(v)];
      if (is_blocked_[at(i)] == 0 && increases(v, move)) {
        make(v, move.target);
        movers_[at(n_made++)] = v;
      } else {
        is_waiting_[at(v)] = 1;
      }
    }
    parallel_for(
        n_made, [&](std::int64_t i) { wake_neighbours(movers_[at(i)]); }, vertices_at_once);
    return n_made > 0;
  }

  /// Returns whether a neighbour that comes first in the batch may move from or to one of the
  /// communities that v moves between. Two that move to empty ones do not touch.
  [[nodiscard]] bool is_blocked(vertex_t v) const {
    const vertex_t own = labels_[at(v)];
    const vertex_t target = targets_[at(v)];
    for (edge_t e = level_.graph.begin(v); e < level_.graph.end(v); ++e) {
      const vertex_t u = level_.graph.heads[e];
      if (u >= v || targets_[at(u)] == no_vertex) continue;
      const vertex_t from = labels_[at(u)];
      const vertex_t to = targets_[at(u)];
      const bool touches_own = from == own || to == own;
      if (touches_own || from == target || (to == target && to != empty_community)) return true;
    }
    return false;
  }

  void make(vertex_t v, vertex_t target) {
    const vertex_t own = labels_[at(v)];
    if (target == empty_community) {
      target = empty_.back();
      empty_.pop_back();
    }
    masses_[at(own)] -= level_.masses[at(v)];
    masses_[at(target)] += level_.masses[at(v)];
    ++members_[at(target)];
    if (--members_[at(own)] == 0) empty_.push_back(own);
    labels_[at(v)] = target;
  }

  /// Lets the neighbours that are in other communities wait for another look.
  void wake_neighbours(vertex_t v) {
    for (edge_t e = level_.graph.begin(v); e < level_.graph.end(v); ++e) {
      const vertex_t u = level_.graph.heads[e];
      if (labels_[at(u)] != labels_[at(v)]) relaxed_store(is_waiting_[at(u)], char{1});
    }
  }

  const Level& level_;
  const Objective& objective_;
  Labels& labels_;
  const vertex_t n_;
  Sums masses_;                   // of the communities
  HostVector<vertex_t> members_;  // their numbers of vertices
  HostVector<vertex_t> empty_;    // communities without a vertex; the last is taken first
  HostVector<char> is_waiting_;
  HostVector<vertex_t> targets_;  // of the vertices of a batch that may move
  HostVector<Move> moves_;
  HostVector<vertex_t> movers_;
  HostVector<char> is_blocked_;
  detail::SortedItems order_;  // the batch of each vertex, and the vertex
  std::vector<WeightsByLabel> tables_;
};

}  // namespace

bool move_vertices(const Level& level, const Objective& objective, Labels& labels) {
  return LocalMoving(level, objective, labels).run();
}

}  // namespace warpgraph::communities
