// Rounds of Boruvka's algorithm on a list of candidates. The list is sorted first: then the place
// of a candidate says all about its order, whatever the type of the weights, and the first
// candidate of a tree is a minimum over 32-bit integers, which processors have an atomic
// instruction for. Private to this folder.
#pragma once

#include "algorithms/mst/edge_order.hpp"
#include "algorithms/mst/filter_boruvka/growing_forest.hpp"
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

/// Pieces of a list of candidates; end to end, in the order of their positions.
template <class Key>
using CandidatePieces = std::vector<std::vector<Candidate<Key>>>;

/// Places in the list of candidates are 32 bits wide.
using place_t = std::uint32_t;
inline constexpr place_t no_place = std::numeric_limits<place_t>::max();

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
SortedCandidates sort_candidates(CandidatePieces<Key> pieces) {
  const auto n_pieces = static_cast<std::int64_t>(pieces.size());
  std::vector<std::int64_t> starts;
  for (const auto& piece : pieces) starts.push_back(static_cast<std::int64_t>(piece.size()));
  const std::int64_t n = exclusive_scan_in_place(starts.data(), n_pieces);
  const HostArray<Candidate<Key>> all(n);
  parallel_for(
      n_pieces,
      [&](std::int64_t p) {
        std::int64_t i = starts[static_cast<std::size_t>(p)];
        for (const Candidate<Key>& candidate : pieces[static_cast<std::size_t>(p)]) {
          all[i++] = candidate;
        }
        pieces[static_cast<std::size_t>(p)] = {};
      },
      1);
  // Stable, so candidates of equal weight stay in the order of their positions.
  const HostArray<SortedItem> order =
      sorted_by_key(n, [&](std::int64_t i) { return all[i].rank.key; });
  SortedCandidates sorted{n, HostArray<SortedCandidates::Ends>(n), HostArray<edge_t>(n)};
  parallel_for(n, [&](std::int64_t i) {
    const Candidate<Key>& candidate = all[order[i].index];
    sorted.ends[i] = {candidate.a, candidate.b};
    sorted.positions[i] = candidate.rank.position;
  });
  return sorted;
}

/// Joins trees along candidates one after the other, as Kruskal does: in one pass, but by one
/// thread, which could not share it.
inline void join_one_by_one(const SortedCandidates& candidates, GrowingForest& forest) {
  constexpr std::int64_t candidates_between_polls = 1 << 14;
  vertex_t* const parent = forest.label.get();
  const auto find = [&](vertex_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (std::int64_t i = 0; i < candidates.n; ++i) {
    if (i % candidates_between_polls == 0) poll();
    const vertex_t a = find(candidates.ends[i].a);
    const vertex_t b = find(candidates.ends[i].b);
    if (a == b) continue;
    parent[std::max(a, b)] = std::min(a, b);
    forest.choose(candidates.positions[i]);
  }
}

/// Joins trees along candidates until none joins two.
class Rounds {
 public:
  Rounds(const SortedCandidates& candidates, GrowingForest& forest)
      : candidates_(candidates),
        forest_(forest),
        first_(forest.n_vertices),
        target_(forest.n_vertices) {}

  void run() {
    ShrinkingList<Edge> edges(candidates_.n, [&](std::int64_t i) {
      return Edge{candidates_.ends[i].a, candidates_.ends[i].b, static_cast<place_t>(i)};
    });
    ShrinkingList<vertex_t> roots(forest_.n_vertices,
                                  [](std::int64_t v) { return static_cast<vertex_t>(v); });
    roots.retain([&](vertex_t v) {
      first_[v] = no_place;
      return forest_.is_root(v);
    });
    while (edges.retain([&](Edge& edge) { return offer(edge); }) > 0) {
      roots.retain([&](vertex_t root) { return find_target(root); });
      roots.for_each([&](vertex_t root) { join_to_target(root); });
      roots.retain([&](vertex_t root) { return prepare_next_round(root); });
    }
  }

 private:
  struct Edge {
    vertex_t a;
    vertex_t b;
    place_t place;
  };

  /// Drops an edge within a tree, shows others to the trees that they join.
  bool offer(Edge& edge) {
    edge.a = forest_.find(edge.a);
    edge.b = forest_.find(edge.b);
    if (edge.a == edge.b) return false;
    lower(first_[edge.a], edge.place);
    lower(first_[edge.b], edge.place);
    return true;
  }
  /// Drops a tree that no edge leaves.
  bool find_target(vertex_t root) {
    if (first_[root] == no_place) return false;
    const SortedCandidates::Ends ends = candidates_.ends[first_[root]];
    const vertex_t a = forest_.find(ends.a);
    target_[root] = a == root ? forest_.find(ends.b) : a;
    return true;
  }
  void join_to_target(vertex_t root) {
    if (keeps_root(target_.get(), root)) return;
    forest_.choose(candidates_.positions[first_[root]]);
    relaxed_store(forest_.label[root], target_[root]);
  }
  /// Drops what is a root no more.
  bool prepare_next_round(vertex_t root) {
    first_[root] = no_place;
    return forest_.is_root(root);
  }

  const SortedCandidates& candidates_;
  GrowingForest& forest_;
  HostArray<place_t> first_;  // of each root: the place of the first candidate that leaves its tree
  HostArray<vertex_t> target_;  // of each root: the root at that candidate's other end
};

}  // namespace warpgraph::mst
