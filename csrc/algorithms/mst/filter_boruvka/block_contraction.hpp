// Contraction of blocks of consecutive vertices, for graphs whose numbering keeps neighbours
// together, such as grids and clusters. A block is small enough for a core's cache, and no other
// thread reads or writes its trees. Private to this folder.
#pragma once

#include "algorithms/mst/filter_boruvka/boruvka_rounds.hpp"
#include "graph/generate/random.hpp"
#include "graph/transform/row_blocks.hpp"

#include <array>
#include <numeric>

namespace warpgraph::mst {

/// Returns blocks for all threads. The edges of a block, their order and its trees take some
/// megabytes.
inline RowBlocks blocks_to_contract(const CsrPattern& graph) {
  constexpr std::int64_t least_work = 1 << 14;
  constexpr std::int64_t max_work = 1 << 18;
  const std::int64_t blocks = 4 * static_cast<std::int64_t>(num_threads());
  const std::int64_t work = graph.n_vertices + graph.n_arcs;
  return RowBlocks(graph, std::clamp(work / blocks, least_work, max_work));
}

/// Returns whether most edges have both ends in one block, in a sample.
inline bool can_contract_blocks(const CsrPattern& graph, const RowBlocks& blocks) {
  constexpr std::int64_t sampled_rows = 1024;
  constexpr std::int64_t arcs_per_crossing = 8;
  if (graph.n_vertices < 64 * sampled_rows) return false;
  const CounterRandom random(0, 0);
  std::int64_t n_arcs = 0;
  std::int64_t n_crossing = 0;
  for (std::int64_t i = 0; i < sampled_rows; ++i) {
    const auto u = static_cast<vertex_t>(
        random.below(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(graph.n_vertices)));
    const std::int64_t block = blocks.block_of(u);
    const vertex_t first = blocks.first_row(block);
    const vertex_t last = blocks.first_row(block + 1);
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      const vertex_t v = graph.heads[e];
      ++n_arcs;
      n_crossing += (v < first) | (v >= last);
    }
  }
  return arcs_per_crossing * n_crossing <= n_arcs;
}

/// Kruskal's algorithm on the edges within a block, as far as it decides: an edge that joins the
/// trees A and B is in the forest if it is lighter than all arcs that leave the block from A, or
/// than all from B. It is the lightest edge that leaves that tree then: lighter ones within the
/// block came before. Appends the edges that it does not decide, and those that leave the block.
template <class W, class Key = order_key_t<W>>
class BlockContraction {
 public:
  BlockContraction(const KeyedGraph<W>& graph, GrowingForest& forest, vertex_t first_row,
                   vertex_t last_row, GrowingList<Candidate<Key>>& undecided)
      : graph_(graph), forest_(forest), first_(first_row), last_(last_row), undecided_(undecided) {}

  /// Contracts the block. Takes light edges first, as of the whole graph: most others are within a
  /// tree then.
  void run() {
    const Key threshold = choose_threshold();
    find_light_edges(threshold);
    join_in_order();
    if (threshold < max_key) {
      find_other_edges(threshold);
      join_in_order();
    }
    drop_cycles();
    const auto position = [](const Candidate<Key>& left) { return left.rank.position; };
    std::ranges::sort(undecided_.data(), undecided_.data() + undecided_.size(), {}, position);
  }

 private:
  static constexpr Key max_key = std::numeric_limits<Key>::max();

  [[nodiscard]] bool is_inside(vertex_t v) const { return v >= first_ && v < last_; }
  /// Returns the least key of the arcs that leave the block from the tree with this root.
  Key& least_leaving(vertex_t root) {
    return least_leaving_[static_cast<std::size_t>(root - first_)];
  }

  /// Returns a threshold up to which about three edges per vertex have keys.
  Key choose_threshold() const {
    constexpr std::size_t sample_size = 512;
    const edge_t n_arcs = graph_.begin(last_) - graph_.begin(first_);
    const edge_t n_light = 6 * static_cast<edge_t>(last_ - first_);  // each edge has two arcs
    if (n_arcs <= 2 * n_light) return max_key;
    const CounterRandom random(0, static_cast<std::uint64_t>(first_));
    std::array<Key, sample_size> keys;
    for (std::uint64_t i = 0; i < sample_size; ++i) {
      const auto arc = static_cast<edge_t>(random.below(i, static_cast<std::uint64_t>(n_arcs)));
      keys[i] = graph_.key(graph_.begin(first_) + arc);
    }
    const auto cut = keys.begin() + std::ssize(keys) * n_light / n_arcs;
    std::ranges::nth_element(keys, cut);
    return *cut;
  }

  /// Lists the light edges of the block, without branches that depend on weights, in the order of
  /// their positions, and all that leave it.
  void find_light_edges(Key threshold) {
    least_leaving_.assign(static_cast<std::size_t>(last_ - first_), max_key);
    for (vertex_t u = first_; u < last_; ++u) {
      for (edge_t e = graph_.begin(u); e < graph_.end(u); ++e) {
        const vertex_t v = graph_.heads[e];
        const Rank<Key> rank = graph_.rank(e);
        if (!is_inside(v)) {
          least_leaving(u) = std::min(least_leaving(u), rank.key);
          if (v > u) undecided_.push({rank, u, v});
        } else {
          edges_.push_if({rank, u, v}, (v > u) & (rank.key <= threshold));
        }
      }
    }
  }

  /// Lists the other edges of the block that join two trees.
  void find_other_edges(Key threshold) {
    for (vertex_t u = first_; u < last_; ++u) forest_.label[u] = forest_.find(u);
    for (vertex_t u = first_; u < last_; ++u) {
      const vertex_t a = forest_.label[u];
      for (edge_t e = graph_.begin(u); e < graph_.end(u); ++e) {
        const vertex_t v = graph_.heads[e];
        const Rank<Key> rank = graph_.rank(e);
        if (!is_inside(v)) continue;
        const vertex_t b = forest_.label[v];
        edges_.push_if({rank, a, b}, (v > u) & (a != b) & (rank.key > threshold));
      }
    }
  }

  /// Joins trees along the listed edges, in Kruskal's order.
  void join_in_order() {
    const HostArray<SortedItem> order =
        sorted_by_key(edges_.size(), [&](std::int64_t i) { return edges_[i].rank.key; });
    for (std::int64_t i = 0; i < edges_.size(); ++i) join(edges_[order[i].index]);
    edges_.clear();
  }

  /// Joins the trees of an edge if that is decided. Equal keys decide nothing, whatever the
  /// positions.
  void join(const Candidate<Key>& edge) {
    const vertex_t a = forest_.find(edge.a);
    const vertex_t b = forest_.find(edge.b);
    if (a == b) return;
    const auto [least, most] = std::minmax(least_leaving(a), least_leaving(b));
    if (edge.rank.key >= most) {
      skipped_.push({edge.rank, a, b});
      return;
    }
    const vertex_t root = std::min(a, b);
    least_leaving(root) = least;
    forest_.label[std::max(a, b)] = root;
    forest_.choose(edge.rank.position);
  }

  /// Keeps a lightest forest of the edges that are not decided. An edge that closes a cycle with
  /// edges before it and with chosen edges is the heaviest of that cycle, since a chosen edge is in
  /// the forest of the whole graph, and so is no cycle's heaviest edge.
  void drop_cycles() {
    std::vector<vertex_t> parent(static_cast<std::size_t>(last_ - first_));
    std::iota(parent.begin(), parent.end(), vertex_t{0});
    const UnionFind trees{parent.data()};
    for (std::int64_t i = 0; i < skipped_.size(); ++i) {
      const Candidate<Key>& edge = skipped_[i];
      const vertex_t a = trees.find(forest_.find(edge.a) - first_);
      const vertex_t b = trees.find(forest_.find(edge.b) - first_);
      if (a == b) continue;
      parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
      undecided_.push(edge);
    }
  }

  const KeyedGraph<W>& graph_;
  GrowingForest& forest_;
  const vertex_t first_;
  const vertex_t last_;
  GrowingList<Candidate<Key>>& undecided_;
  GrowingList<Candidate<Key>> edges_;
  GrowingList<Candidate<Key>> skipped_;
  std::vector<Key> least_leaving_;
};

/// Contracts all blocks; returns the edges that are left, between roots.
template <class W, class Key = order_key_t<W>>
CandidateLists<Key> contract_blocks(const KeyedGraph<W>& graph, const RowBlocks& blocks,
                                    GrowingForest& forest) {
  CandidateLists<Key> lists(static_cast<std::size_t>(blocks.size()));
  blocks.for_each([&](std::int64_t block, vertex_t first_row, vertex_t last_row) {
    auto& undecided = lists[static_cast<std::size_t>(block)];
    BlockContraction<W>(graph, forest, first_row, last_row, undecided).run();
  });
  // Threads halve the paths of the same trees at once: see UnionFind.
  parallel_for(
      blocks.size(),
      [&](std::int64_t block) {
        auto& undecided = lists[static_cast<std::size_t>(block)];
        for (std::int64_t i = 0; i < undecided.size(); ++i) {
          undecided[i].a = forest.find(undecided[i].a);
          undecided[i].b = forest.find(undecided[i].b);
        }
      },
      1);
  return lists;
}

}  // namespace warpgraph::mst
