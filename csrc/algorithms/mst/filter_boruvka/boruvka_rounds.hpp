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

/// Index into the sorted list of candidates.
using candidate_index_t = std::uint32_t;
inline constexpr candidate_index_t no_candidate = std::numeric_limits<candidate_index_t>::max();

/// How far ahead a loop over candidates prefetches.
inline constexpr std::int64_t candidates_ahead = 16;

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
    __builtin_prefetch(&all[order[std::min(i + candidates_ahead, n - 1)].index]);
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
    const auto later = candidates.ends[std::min(i + candidates_ahead, candidates.n - 1)];
    __builtin_prefetch(&forest.label[later.a]);
    __builtin_prefetch(&forest.label[later.b]);
    const vertex_t a = forest.find(candidates.ends[i].a);
    const vertex_t b = forest.find(candidates.ends[i].b);
    if (a == b) continue;
    forest.label[std::max(a, b)] = std::min(a, b);
    forest.choose(candidates.positions[i]);
  }
}

/// Joins trees along candidates in rounds until none joins two.
inline void join_in_rounds(const SortedCandidates& candidates, GrowingForest& forest) {
  struct Edge {
    vertex_t a;
    vertex_t b;
    candidate_index_t index;
  };
  // Of each root: the first candidate that leaves its tree, and the root at its other end.
  const HostArray<candidate_index_t> lightest(forest.n_vertices);
  const HostArray<vertex_t> target(forest.n_vertices);
  ShrinkingList<Edge> edges(candidates.n, [&](std::int64_t i) {
    return Edge{candidates.ends[i].a, candidates.ends[i].b, static_cast<candidate_index_t>(i)};
  });
  ShrinkingList<vertex_t> roots(forest.n_vertices,
                                [](std::int64_t v) { return static_cast<vertex_t>(v); });
  roots.retain([&](vertex_t v) {
    lightest[v] = no_candidate;
    return forest.is_root(v);
  });
  // Drops an edge within a tree. Others update the minima of the trees that they join.
  const auto update_minima = [&](Edge& edge) {
    edge.a = forest.find(edge.a);
    edge.b = forest.find(edge.b);
    if (edge.a == edge.b) return false;
    lower(lightest[edge.a], edge.index);
    lower(lightest[edge.b], edge.index);
    return true;
  };
  // Drops a tree that no edge leaves.
  const auto find_target = [&](vertex_t root) {
    if (lightest[root] == no_candidate) return false;
    const SortedCandidates::Ends ends = candidates.ends[lightest[root]];
    const vertex_t a = forest.find(ends.a);
    target[root] = a == root ? forest.find(ends.b) : a;
    return true;
  };
  // Drops a tree that becomes part of another.
  const auto hook = [&](vertex_t root) {
    const candidate_index_t index = std::exchange(lightest[root], no_candidate);
    if (keeps_root(target.get(), root)) return true;
    forest.choose(candidates.positions[index]);
    relaxed_store(forest.label[root], target[root]);
    return false;
  };
  const auto prefetch_ends = [&](const Edge& edge) {
    for (const vertex_t end : {edge.a, edge.b}) {
      __builtin_prefetch(&forest.label[end]);
      __builtin_prefetch(&lightest[end]);
    }
  };
  const auto prefetch_candidate = [&](vertex_t root) {
    if (lightest[root] != no_candidate) __builtin_prefetch(&candidates.ends[lightest[root]]);
  };
  const auto prefetch_target = [&](vertex_t root) { __builtin_prefetch(&target[target[root]]); };
  while (edges.retain(update_minima, prefetch_ends) > 0) {
    roots.retain(find_target, prefetch_candidate);
    roots.retain(hook, prefetch_target);
  }
}

}  // namespace warpgraph::mst
