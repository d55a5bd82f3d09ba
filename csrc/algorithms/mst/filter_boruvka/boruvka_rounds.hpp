// Rounds of Boruvka's algorithm on a list of candidates. The list is sorted first: then a
// candidate's index determines its order, whatever the type of the weights, and the lightest
// candidate of a tree is a minimum over 32-bit integers, for which processors have an atomic
// instruction. Private to this folder.
#pragma once

#include "algorithms/mst/edge_order.hpp"
#include "algorithms/mst/filter_boruvka/growing_forest.hpp"
#include "core/containers/growing_list.hpp"
#include "core/containers/radix_sort.hpp"
#include "core/containers/shrinking_list.hpp"

#include <array>

namespace warpgraph::mst {

/// An edge that joins the trees with the roots a and b.
template <class Key>
struct Candidate {
  Rank<Key> rank;
  vertex_t a;
  vertex_t b;
};

/// Lists of candidates; concatenated, they are in the order of positions.
template <class Key>
using CandidateLists = std::vector<GrowingList<Candidate<Key>>>;

/// An index into the sorted list of candidates.
using candidate_index_t = std::uint32_t;
inline constexpr candidate_index_t no_candidate = std::numeric_limits<candidate_index_t>::max();

/// The distance at which a loop over candidates prefetches.
inline constexpr std::size_t candidates_ahead = 16;

/// Candidates in Kruskal's order.
struct SortedCandidates {
  struct Ends {
    vertex_t a;
    vertex_t b;
  };
  std::int64_t n;
  HostArray<Ends> ends;
  HostArray<edge_t> positions;
};

template <class Key>
SortedCandidates sort_candidates(CandidateLists<Key> lists) {
  const auto n_lists = static_cast<std::int64_t>(lists.size());
  std::vector<std::int64_t> starts;
  for (const auto& list : lists) starts.push_back(list.size());
  const std::int64_t n = exclusive_scan_in_place(starts.data(), n_lists);
  const HostArray<Candidate<Key>> all(n);
  parallel_for(
      n_lists,
      [&](std::int64_t p) {
        auto& list = lists[static_cast<std::size_t>(p)];
        std::copy_n(list.data(), list.size(), all.get() + starts[static_cast<std::size_t>(p)]);
        list.release();
      },
      1);
  // Stable, so candidates of equal weight stay in the order of their positions.
  const HostArray<SortedItem> order =
      sorted_by_key(n, [&](std::int64_t i) { return all[i].rank.key; });
  SortedCandidates sorted{n, HostArray<SortedCandidates::Ends>(n), HostArray<edge_t>(n)};
  parallel_for(n, [&](std::int64_t i) {
    __builtin_prefetch(&all[order[std::min(i + std::int64_t{candidates_ahead}, n - 1)].index]);
    const Candidate<Key>& candidate = all[order[i].index];
    sorted.ends[i] = {candidate.a, candidate.b};
    sorted.positions[i] = candidate.rank.position;
  });
  return sorted;
}

/// Joins trees along candidates one by one, as Kruskal's algorithm does: a single pass, but
/// inherently sequential.
inline void join_sequentially(const SortedCandidates& candidates, GrowingForest& forest) {
  constexpr std::int64_t candidates_between_polls = 1 << 14;
  for (std::int64_t i = 0; i < candidates.n; ++i) {
    if (i % candidates_between_polls == 0) poll();
    const auto later =
        candidates.ends[std::min(i + std::int64_t{candidates_ahead}, candidates.n - 1)];
    __builtin_prefetch(&forest.label[later.a]);
    __builtin_prefetch(&forest.label[later.b]);
    const vertex_t a = forest.find(candidates.ends[i].a);
    const vertex_t b = forest.find(candidates.ends[i].b);
    if (a == b) continue;
    forest.label[std::max(a, b)] = std::min(a, b);
    forest.choose(candidates.positions[i]);
  }
}

/// Joins trees along candidates in rounds until none joins two. Whether a candidate or a tree is
/// left after a round is hard to predict, so loops over them have no branches on that.
class BoruvkaRounds {
 public:
  BoruvkaRounds(const SortedCandidates& candidates, GrowingForest& forest)
      : candidates_(candidates),
        forest_(forest),
        lightest_(forest.n_vertices),
        roots_(forest.n_vertices,
               [&](std::int64_t v) {
                 lightest_[v] = no_candidate;
                 return static_cast<vertex_t>(v);
               }),
        left_(candidates.n, [](std::int64_t i) { return static_cast<candidate_index_t>(i); }) {}

  void run() {
    roots_.retain([&](vertex_t v) { return forest_.is_root(v); });
    while (update_minima() > 0) {
      hook_trees();
      flatten_trees();
    }
  }

 private:
  /// Replaces the ends of the candidates that are left by the roots of their trees, drops those
  /// within a tree, and lowers the minima of the trees that the others join.
  std::int64_t update_minima() {
    return left_.retain(
        [&](candidate_index_t index) {
          auto& [a, b] = candidates_.ends[index];
          a = forest_.label[a];
          b = forest_.label[b];
          __builtin_prefetch(&lightest_[a], 1);
          __builtin_prefetch(&lightest_[b], 1);
          return a != b;
        },
        [&](candidate_index_t index) {
          const auto [a, b] = candidates_.ends[index];
          __builtin_prefetch(&forest_.label[a]);
          __builtin_prefetch(&forest_.label[b]);
        },
        [&](std::span<const candidate_index_t> left) { lower_minima(left); });
  }

  /// Lowers the minima of trees. Few candidates are the lightest one of a tree so far: only these
  /// take an atomic operation.
  void lower_minima(std::span<const candidate_index_t> left) {
    struct Minimum {
      vertex_t root;
      candidate_index_t index;
    };
    std::array<Minimum, 2 * ShrinkingList<candidate_index_t>::max_block> minima;
    std::size_t n = 0;
    for (const candidate_index_t index : left) {
      const auto [a, b] = candidates_.ends[index];
      minima[n] = {a, index};
      n += static_cast<std::size_t>(index < relaxed_load(lightest_[a]));
      minima[n] = {b, index};
      n += static_cast<std::size_t>(index < relaxed_load(lightest_[b]));
    }
    for (std::size_t i = 0; i < n; ++i) lower(lightest_[minima[i].root], minima[i].index);
  }

  /// Hooks every tree to the other end of its lightest candidate, except one of two trees that have
  /// the same one. Reads no label, and writes only that of the tree itself.
  void hook_trees() {
    roots_.for_each_block([&](std::span<const vertex_t> roots) {
      std::array<vertex_t, ShrinkingList<vertex_t>::max_block> targets;
      for (std::size_t i = 0; i < roots.size(); ++i) {
        const vertex_t later = roots[std::min(i + candidates_ahead, roots.size() - 1)];
        __builtin_prefetch(&candidates_.ends[lightest_or_first(later)]);
        const auto [a, b] = candidates_.ends[lightest_or_first(roots[i])];
        targets[i] = a == roots[i] ? b : a;
        __builtin_prefetch(&lightest_[targets[i]]);
      }
      std::array<edge_t, ShrinkingList<vertex_t>::max_block> chosen;
      std::size_t n_chosen = 0;
      for (std::size_t i = 0; i < roots.size(); ++i) {
        const candidate_index_t index = lightest_[roots[i]];
        const bool is_mutual = index == lightest_[targets[i]];
        const bool keeps_root = (index == no_candidate) | (is_mutual & (roots[i] > targets[i]));
        relaxed_store(forest_.label[roots[i]], keeps_root ? roots[i] : targets[i]);
        chosen[n_chosen] = index;
        n_chosen += static_cast<std::size_t>(!keeps_root);
      }
      for (std::size_t i = 0; i < n_chosen; ++i) {
        const auto later =
            static_cast<std::int64_t>(chosen[std::min(i + candidates_ahead, n_chosen - 1)]);
        __builtin_prefetch(&candidates_.positions[later]);
        forest_.choose(candidates_.positions[chosen[i]]);
      }
    });
  }

  /// Returns the lightest candidate of a tree, or 0 if none leaves it.
  [[nodiscard]] candidate_index_t lightest_or_first(vertex_t root) const {
    const candidate_index_t index = lightest_[root];
    return index == no_candidate ? 0 : index;
  }

  /// Drops the trees that have become part of another, and those that no candidate leaves.
  void flatten_trees() {
    roots_.retain(
        [&](vertex_t root) {
          forest_.point_to_root(root);
          const bool had_candidate = lightest_[root] != no_candidate;
          lightest_[root] = no_candidate;
          return forest_.is_root(root) & had_candidate;
        },
        [&](vertex_t root) {
          __builtin_prefetch(&forest_.label[relaxed_load(forest_.label[root])]);
        });
  }

  const SortedCandidates& candidates_;
  GrowingForest& forest_;
  const HostArray<candidate_index_t> lightest_;  // of each root: the first one that leaves its tree
  ShrinkingList<vertex_t> roots_;
  ShrinkingList<candidate_index_t> left_;
};

/// Joins trees along candidates in rounds. The labels of their ends are roots. Overwrites the ends.
inline void join_in_rounds(const SortedCandidates& candidates, GrowingForest& forest) {
  BoruvkaRounds(candidates, forest).run();
}

}  // namespace warpgraph::mst
