#include "algorithms/communities/level.hpp"
#include "algorithms/communities/waiting.hpp"
#include "core/interrupt.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace warpgraph::communities {
namespace {

/// Vertices and arcs of a round that one thread looks at faster than threads could share it.
constexpr std::int64_t work_of_one_thread = 1 << 15;
/// Vertices and arcs of a batch, the number of batches, and the vertices and arcs of a block that a
/// thread takes at a time. With more batches, moves are chosen by what is known later, and fewer
/// neighbours move at a time; with fewer, threads wait for each other less often.
constexpr std::int64_t work_of_batch = 1 << 15;
constexpr std::size_t most_batches = 32;
constexpr std::int64_t work_of_block = 1 << 11;
constexpr std::int64_t vertices_of_block = 512;
/// Gains below this share of the terms that they are the differences of may be rounding.
constexpr double least_gain = 1e-12;

/// A move of a vertex that would increase the quality.
struct Move {
  vertex_t vertex = no_vertex;
  vertex_t own = no_vertex;
  vertex_t target = no_vertex;
  Weight to_target = 0;  // the weight of edges to the target, and to others of its own community
  Weight to_own = 0;
};

struct Community {
  Weight mass = 0;
  vertex_t n_members = 0;
};

class LocalMoving {
 public:
  LocalMoving(const Level& level, const Objective& objective, Labels& labels)
      : level_(level),
        objective_(objective),
        labels_(labels),
        n_(level.n()),
        waiting_(level.graph, objective.seed),
        communities_(at(n_)),
        targets_(at(n_)),
        moves_(at(n_)),
        is_blocked_(at(n_)),
        tables_(at(num_threads())) {}

  bool run() {
    const CallThreads fixed(static_cast<int>(tables_.size()));
    begin();
    bool has_moved = false;
    while (waiting_.collect() > 0) {
      has_moved |= waiting_.work() <= work_of_one_thread ? look_one_by_one() : look_by_batches();
    }
    return has_moved;
  }

 private:
  void begin() {
    parallel_for(n_, [&](std::int64_t v) {
      communities_[at(v)] = {};
      targets_[at(v)] = no_vertex;
    });
    for (vertex_t v = 0; v < n_; ++v) {
      Community& community = communities_[at(labels_[at(v)])];
      community.mass += level_.masses[at(v)];
      ++community.n_members;
    }
    for (vertex_t c = n_; c-- > 0;) {
      if (communities_[at(c)].n_members == 0) empty_.push_back(c);
    }
  }

  /// Makes the best move of each vertex that waits. Returns whether there was one.
  bool look_one_by_one() {
    poll();
    bool has_moved = false;
    for (std::int64_t i = 0; i < waiting_.size(); ++i) {
      const vertex_t v = waiting_[i];
      waiting_.remove(v);
      const Move move = best_move(v, tables_[0]);
      if (move.target == no_vertex) continue;
      make(move);
      wake_neighbours(v);
      has_moved = true;
    }
    return has_moved;
  }

  /// Looks at all vertices that wait, batch by batch. Returns whether one has moved.
  bool look_by_batches() {
    const std::int64_t work = waiting_.work();
    const auto n_batches =
        std::clamp<std::size_t>(std::bit_floor(at(work / work_of_batch)), 1, most_batches);
    const std::size_t n_groups = WaitingVertices::n_groups / n_batches;
    const std::int64_t grain =
        std::clamp<std::int64_t>(waiting_.size() * work_of_block / work, 1, vertices_of_block);
    bool has_moved = false;
    for (std::size_t batch = 0; batch < n_batches; ++batch) {
      const std::int64_t first = waiting_.start(batch * n_groups);
      const std::int64_t n = waiting_.start((batch + 1) * n_groups) - first;
      has_moved |= make_moves(propose(first, n, grain), grain);
    }
    return has_moved;
  }

  /// Finds the best moves of n listed vertices. Returns the number of those that would move.
  std::int64_t propose(std::int64_t first, std::int64_t n, std::int64_t grain) {
    n_moves_.resize(at((n + grain - 1) / grain));
    parallel_blocks(n, grain, [&](int thread, std::int64_t from, std::int64_t to) {
      std::int64_t n_moves = 0;
      for (std::int64_t i = from; i < to; ++i) {
        const vertex_t v = waiting_[first + i];
        waiting_.remove(v);
        const Move move = best_move(v, tables_[at(thread)]);
        if (move.target == no_vertex) continue;
        targets_[at(v)] = move.target;
        moves_[at(from + n_moves++)] = move;
      }
      n_moves_[at(from / grain)] = n_moves;
    });
    std::int64_t n_movers = 0;
    for (std::size_t block = 0; block < n_moves_.size(); ++block) {
      const auto from = moves_.begin() + static_cast<std::int64_t>(block) * grain;
      std::copy_n(from, n_moves_[block], moves_.begin() + n_movers);
      n_movers += n_moves_[block];
    }
    return n_movers;
  }

  [[nodiscard]] Move best_move(vertex_t v, WeightsByLabel& table) const {
    const vertex_t own = labels_[at(v)];
    table.begin(std::min<edge_t>(level_.graph.degree(v), n_));
    for (edge_t e = level_.graph.begin(v); e < level_.graph.end(v); ++e) {
      const vertex_t u = level_.graph.heads[e];
      if (u != v) table.add(labels_[at(u)], level_.weight(e));
    }
    Move best{v, own, own, 0, table[own]};
    double most = gain_of_move(best);
    table.for_each([&](vertex_t label, Weight weight) {
      // Edges of weight 0 do not connect: a vertex that leaves by one is alone instead.
      if (label == own || weight == 0) return;
      const Move move{v, own, label, weight, best.to_own};
      const double gain = gain_of_move(move);
      if (gain < most || (gain == most && (best.target == own || label > best.target))) return;
      most = gain;
      best = move;
    });
    const Move alone{v, own, empty_community, 0, best.to_own};
    if (communities_[at(own)].n_members > 1 && gain_of_move(alone) > most) best = alone;
    if (best.target == own || !increases(best)) best.target = no_vertex;
    return best;
  }

  static constexpr vertex_t empty_community = -2;

  [[nodiscard]] Weight mass_of(vertex_t label) const {
    return label == empty_community ? 0 : communities_[at(label)].mass;
  }

  /// Returns what the quality gains by a move, compared with the vertex alone in a community: 0 or
  /// more for staying.
  [[nodiscard]] double gain_of_move(const Move& move) const {
    const Weight mass = level_.masses[at(move.vertex)];
    if (move.target == move.own) {
      return objective_.gain(move.to_own, mass, mass_of(move.own) - mass);
    }
    return objective_.gain(move.to_target, mass, mass_of(move.target));
  }

  /// Returns whether a move gains more than rounding may.
  [[nodiscard]] bool increases(const Move& move) const {
    const Weight mass = level_.masses[at(move.vertex)];
    const Weight mass_of_own = mass_of(move.own);
    const double of_target = objective_.gain(move.to_target, mass, mass_of(move.target));
    const double of_own = objective_.gain(move.to_own, mass, mass_of_own - mass);
    const double terms =
        static_cast<double>(move.to_target + move.to_own) +
        objective_.penalty * static_cast<double>(mass) *
            (static_cast<double>(mass_of(move.target)) + static_cast<double>(mass_of_own));
    return of_target - of_own > least_gain * terms;
  }

  /// Makes the moves of a batch that do not depend on each other. Returns whether there was one.
  bool make_moves(std::int64_t n_movers, std::int64_t grain) {
    parallel_for(
        n_movers, [&](std::int64_t i) { is_blocked_[at(i)] = is_blocked(moves_[at(i)]) ? 1 : 0; },
        grain);
    std::int64_t n_made = 0;
    for (std::int64_t i = 0; i < n_movers; ++i) {
      if (i + moves_ahead < n_movers) prefetch(moves_[at(i + moves_ahead)]);
      const Move& move = moves_[at(i)];
      targets_[at(move.vertex)] = no_vertex;
      if (is_blocked_[at(i)] == 0 && increases(move)) {
        make(move);
        moves_[at(n_made++)] = move;
      } else {
        waiting_.add(move.vertex);
      }
    }
    parallel_for(
        n_made, [&](std::int64_t i) { wake_neighbours(moves_[at(i)].vertex); }, grain);
    return n_made > 0;
  }

  static constexpr std::int64_t moves_ahead = 8;

  /// Fetches what make() writes to.
  void prefetch(const Move& move) const {
    __builtin_prefetch(&communities_[at(move.own)], 1);
    if (move.target >= 0) __builtin_prefetch(&communities_[at(move.target)], 1);
    __builtin_prefetch(&labels_[at(move.vertex)], 1);
    __builtin_prefetch(&targets_[at(move.vertex)], 1);
    __builtin_prefetch(&level_.masses[at(move.vertex)]);
  }

  /// Returns whether a neighbour that is listed earlier may move from or to one of the communities
  /// that the vertex moves between. Two that move to empty ones do not touch.
  [[nodiscard]] bool is_blocked(const Move& move) const {
    const vertex_t v = move.vertex;
    for (edge_t e = level_.graph.begin(v); e < level_.graph.end(v); ++e) {
      const vertex_t u = level_.graph.heads[e];
      if (targets_[at(u)] == no_vertex || !waiting_.precedes(u, v)) continue;
      const vertex_t from = labels_[at(u)];
      const vertex_t to = targets_[at(u)];
      const bool touches_own = from == move.own || to == move.own;
      if (touches_own || from == move.target || (to == move.target && to != empty_community)) {
        return true;
      }
    }
    return false;
  }

  void make(const Move& move) {
    vertex_t target = move.target;
    if (target == empty_community) {
      target = empty_.back();
      empty_.pop_back();
    }
    const Weight mass = level_.masses[at(move.vertex)];
    Community& from = communities_[at(move.own)];
    Community& to = communities_[at(target)];
    from.mass -= mass;
    to.mass += mass;
    ++to.n_members;
    if (--from.n_members == 0) empty_.push_back(move.own);
    labels_[at(move.vertex)] = target;
  }

  /// Lets the neighbours that are in other communities wait for another look.
  void wake_neighbours(vertex_t v) {
    for (edge_t e = level_.graph.begin(v); e < level_.graph.end(v); ++e) {
      const vertex_t u = level_.graph.heads[e];
      if (labels_[at(u)] != labels_[at(v)]) waiting_.add(u);
    }
  }

  const Level& level_;
  const Objective& objective_;
  Labels& labels_;
  const vertex_t n_;
  WaitingVertices waiting_;
  HostVector<Community> communities_;
  HostVector<vertex_t> empty_;    // communities without a vertex; the last is taken first
  HostVector<vertex_t> targets_;  // of the vertices of a batch that may move
  HostVector<Move> moves_;        // of a batch; those of each block begin at its first vertex
  HostVector<char> is_blocked_;
  std::vector<std::int64_t> n_moves_;  // of each block
  std::vector<WeightsByLabel> tables_;
};

}  // namespace

bool move_vertices(const Level& level, const Objective& objective, Labels& labels) {
  return LocalMoving(level, objective, labels).run();
}

}  // namespace warpgraph::communities
