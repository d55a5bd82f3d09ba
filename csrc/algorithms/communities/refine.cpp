#include "algorithms/communities/level.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace warpgraph::communities {
namespace {

/// An order of n items that depends on a seed: steps of a random length that has no divisor in
/// common with n.
class RandomOrder {
 public:
  RandomOrder(std::int64_t n, std::uint64_t seed)
      : n_(static_cast<std::uint64_t>(n)), first_(mix64(seed) % n_), step_(1 + first_) {
    while (std::gcd(step_, n_) != 1) ++step_;
  }
  [[nodiscard]] std::int64_t operator[](std::int64_t i) const {
    return static_cast<std::int64_t>((first_ + static_cast<std::uint64_t>(i) * step_) % n_);
  }

 private:
  const std::uint64_t n_;
  const std::uint64_t first_;
  std::uint64_t step_;
};

/// Divides communities, each by one thread.
class Refinement {
 public:
  Refinement(const Level& level, const Objective& objective, const Labels& communities,
             vertex_t n_communities, Labels& parts)
      : level_(level),
        objective_(objective),
        communities_(communities),
        groups_(communities, n_communities),
        parts_(parts),
        n_(level.n()),
        masses_(at(n_)),
        outside_(at(n_)),
        has_joined_(at(n_)),
        tables_(at(num_threads())) {}

  void run() {
    const CallThreads fixed(static_cast<int>(tables_.size()));
    parallel_for(
        n_, [&](std::int64_t v) { begin_alone(static_cast<vertex_t>(v)); }, vertices_at_once);
    // Large communities come first, so that no thread begins with one when the others are done.
    std::vector<std::int64_t> large;
    for (std::int64_t c = 0; c < groups_.size(); ++c) {
      if (is_large(c)) large.push_back(c);
    }
    std::ranges::sort(large, [&](std::int64_t a, std::int64_t b) {
      return std::pair(groups_[b].size(), a) < std::pair(groups_[a].size(), b);
    });
    const std::int64_t n_large = std::ssize(large);
    const std::int64_t n_blocks = (groups_.size() + communities_at_once - 1) / communities_at_once;
    parallel_blocks(n_large + n_blocks, 1, [&](int thread, std::int64_t i, std::int64_t last) {
      for (; i < last; ++i) {
        i < n_large ? divide(groups_[large[at(i)]], tables_[at(thread)])
                    : divide_small((i - n_large) * communities_at_once, tables_[at(thread)]);
      }
    });
  }

 private:
  using Members = std::span<const SortedItem>;
  static constexpr std::int64_t communities_at_once = 64;
  static constexpr std::int64_t vertices_at_once = 256;
  static constexpr std::size_t large_size = 256;  // in vertices
  static constexpr std::int64_t vertices_per_poll = 1 << 10;

  static vertex_t vertex(SortedItem item) { return static_cast<vertex_t>(item.index); }

  [[nodiscard]] bool is_large(std::int64_t community) const {
    return groups_[community].size() >= large_size;
  }

  /// Divides the next `communities_at_once` that are not large.
  void divide_small(std::int64_t first, WeightsByLabel& table) {
    const std::int64_t last = std::min(first + communities_at_once, groups_.size());
    for (std::int64_t c = first; c < last; ++c) {
      if (!is_large(c)) divide(groups_[c], table);
    }
  }

  void divide(Members members, WeightsByLabel& table) {
    if (members.size() == 1) return;
    Weight mass = 0;
    for (const SortedItem item : members) mass += level_.masses[item.index];
    const RandomOrder order(std::ssize(members), objective_.seed + members[0].index);
    for (std::int64_t i = 0; i < std::ssize(members); ++i) {
      if (i % vertices_per_poll == 0) poll();
      const vertex_t v = vertex(members[at(order[i])]);
      const bool is_alone = parts_[at(v)] == v && has_joined_[at(v)] == 0;
      if (is_alone && is_well_connected(v, mass)) join_best(v, mass, table);
    }
  }

  /// Makes v a part, and finds its edges to the rest of the community.
  void begin_alone(vertex_t v) {
    Weight inside = 0;
    for (edge_t e = level_.graph.begin(v); e < level_.graph.end(v); ++e) {
      const vertex_t u = level_.graph.heads[e];
      if (u != v && communities_[at(u)] == communities_[at(v)]) inside += level_.weight(e);
    }
    parts_[at(v)] = v;
    masses_[at(v)] = level_.masses[at(v)];
    outside_[at(v)] = inside;
    has_joined_[at(v)] = 0;
  }

  /// Returns whether a part has at least as many edges to the rest as chance would have.
  [[nodiscard]] bool is_well_connected(vertex_t part, Weight mass) const {
    return objective_.gain(outside_[at(part)], masses_[at(part)], mass - masses_[at(part)]) >= 0;
  }

  void join_best(vertex_t v, Weight mass, WeightsByLabel& table) {
    table.begin(std::min<edge_t>(level_.graph.degree(v), n_));
    for (edge_t e = level_.graph.begin(v); e < level_.graph.end(v); ++e) {
      const vertex_t u = level_.graph.heads[e];
      if (u != v && communities_[at(u)] == communities_[at(v)]) {
        table.add(parts_[at(u)], level_.weight(e));
      }
    }
    vertex_t best = v;
    double most = 0;
    Weight to_best = 0;
    table.for_each([&](vertex_t part, Weight weight) {
      const double gain = objective_.gain(weight, level_.masses[at(v)], masses_[at(part)]);
      const bool is_more = gain > most || (gain == most && best != v && part < best);
      if (!is_more || !is_well_connected(part, mass)) return;
      best = part;
      most = gain;
      to_best = weight;
    });
    if (best == v) return;
    outside_[at(best)] += outside_[at(v)] - 2 * to_best;
    masses_[at(best)] += masses_[at(v)];
    parts_[at(v)] = best;
    has_joined_[at(best)] = 1;
  }

  const Level& level_;
  const Objective& objective_;
  const Labels& communities_;
  const Groups groups_;
  Labels& parts_;
  const vertex_t n_;
  Sums masses_;                  // of the parts, by their first vertex
  Sums outside_;                 // weight of a part's edges to the rest of its community
  HostVector<char> has_joined_;  // a vertex has joined the part
  std::vector<WeightsByLabel> tables_;
};

}  // namespace

void refine(const Level& level, const Objective& objective, const Labels& communities,
            vertex_t n_communities, Labels& parts) {
  Refinement(level, objective, communities, n_communities, parts).run();
}

}  // namespace warpgraph::communities
