// Passes over the entries that collect the edges between trees. Private to this folder.
#pragma once

#include "algorithms/mst/filter_boruvka/boruvka_rounds.hpp"
#include "algorithms/mst/filter_boruvka/first_round.hpp"
#include "graph/generate/random.hpp"

#include <array>
#include <optional>

namespace warpgraph::mst {

/// The vertices whose edges a pass has to examine: those outside the tree that most arcs lead to,
/// and those whose edge id is deferred. An edge between two others is within a tree. A bit per
/// vertex fits the cache of a core where labels do not.
class VerticesToExamine {
 public:
  /// Finds the vertices again: all of them if half of the arcs lead to no single tree.
  template <class W>
  void update(const CsrPattern& graph, const GrowingForest& forest,
              const DeferredEdgeIds<W>& deferred) {
    constexpr edge_t min_arcs = 1 << 20;  // of fewer, labels fit the cache of a core
    if (graph.n_arcs < min_arcs) return;
    largest_ = label_of_half(graph, forest);
    if (largest_ == no_vertex) return;
    if (!bits_) bits_.emplace(forest.n_vertices);
    bits_->fill(forest.n_vertices, [&](std::int64_t i) {
      const auto v = static_cast<vertex_t>(i);
      return forest.label[v] != largest_ || deferred.is_deferred(v);
    });
    view_ = bits_->view();
  }
  /// Returns whether all edges of a vertex with this label are to be examined.
  [[nodiscard]] bool needs_all_edges(vertex_t label) const noexcept {
    return largest_ == no_vertex || label != largest_;
  }
  [[nodiscard]] BitmapView bits() const noexcept { return view_; }

 private:
  /// Returns the label of half of a sample of heads, or no_vertex.
  static vertex_t label_of_half(const CsrPattern& graph, const GrowingForest& forest) {
    constexpr std::size_t sample_size = 1024;
    std::array<vertex_t, sample_size> sample;
    const CounterRandom random(0, 0);
    for (std::uint64_t i = 0; i < sample_size; ++i) {
      const auto e = random.below(i, static_cast<std::uint64_t>(graph.n_arcs));
      sample[i] = forest.label[graph.heads[e]];
    }
    std::ranges::sort(sample);
    const vertex_t middle = sample[sample_size / 2];
    return std::ranges::count(sample, middle) >= std::ssize(sample) / 2 ? middle : no_vertex;
  }

  vertex_t largest_ = no_vertex;
  std::optional<Bitmap> bits_;
  BitmapView view_{};
};

/// Collects the edges from `begin` to before `end` in Kruskal's order that join two trees, of one
/// block of rows. Also resolves the edge ids that the first round deferred.
///
/// A scan without branches writes the entries above the diagonal that may be among them to a
/// buffer; their trees are then compared, with a random access each.
template <class W, class Key = order_key_t<W>>
class BlockCollector {
 public:
  BlockCollector(const KeyedGraph<W>& graph, GrowingForest& forest, DeferredEdgeIds<W>& deferred,
                 const VerticesToExamine& to_examine, Rank<Key> begin, Rank<Key> end,
                 GrowingList<Candidate<Key>>& list)
      : graph_(graph),
        forest_(forest),
        deferred_(deferred),
        to_examine_(to_examine),
        begin_(begin),
        end_(end),
        list_(list) {}
  BlockCollector(const BlockCollector&) = delete;
  BlockCollector& operator=(const BlockCollector&) = delete;
  ~BlockCollector() = default;

  /// Scans the entries first..last of row u. Reads heads only, if these decide: most entries are
  /// within the largest tree then, and their weights need not be read.
  void scan(vertex_t u, edge_t first, edge_t last) {
    const bool by_key = to_examine_.needs_all_edges(forest_.label[u]);
    while (first < last) {
      if (n_ == capacity) flush();
      const edge_t stop = std::min(last, first + capacity - n_);
      n_ = by_key ? scan_piece(u, first, stop, KeyInRange{graph_, begin_.key, end_.key})
                  : scan_piece(u, first, stop, HeadIsIn{to_examine_.bits()});
      first = stop;
    }
  }

  /// Collects from the rest of the buffer, after the last row.
  void flush() {
    constexpr edge_t entries_ahead = 16;
    // Whether an entry matches, and whether it joins two trees, is hard to predict.
    edge_t n_matches = 0;
    for (edge_t i = 0; i < n_; ++i) {
      prefetch(buffer_[static_cast<std::size_t>(std::min(i + entries_ahead, n_ - 1))]);
      const auto [e, u] = buffer_[static_cast<std::size_t>(i)];
      const vertex_t v = graph_.heads[e];
      const Rank<Key> rank = graph_.rank(e);
      const vertex_t a = forest_.label[u];
      const vertex_t b = forest_.label[v];
      const bool is_before = rank < begin_;
      const bool is_before_end = rank < end_;
      list_.push_if({rank, a, b}, (a != b) & !is_before & is_before_end);
      buffer_[static_cast<std::size_t>(n_matches)] = {e, u};
      n_matches += static_cast<edge_t>(deferred_.matches(u, v, rank.key));
    }
    for (edge_t i = 0; i < n_matches; ++i) {
      const auto [e, u] = buffer_[static_cast<std::size_t>(i)];
      if (deferred_.resolve(u, graph_.heads[e], graph_.key(e))) forest_.choose(e);
    }
    n_ = 0;
  }

 private:
  struct Entry {
    edge_t position;
    vertex_t row;
  };

  [[gnu::always_inline]] void prefetch(Entry entry) const {
    const vertex_t v = graph_.heads[entry.position];
    __builtin_prefetch(&forest_.label[v]);
    deferred_.prefetch(v);
  }

  struct KeyInRange {
    KeyedGraph<W> graph;
    Key least;
    Key most;
    bool operator()(edge_t e, vertex_t) const {
      const Key key = graph.key(e);
      return (key >= least) & (key <= most);
    }
  };
  struct HeadIsIn {
    BitmapView bits;
    bool operator()(edge_t, vertex_t v) const { return bits.test(v); }
  };

  /// Scans a piece of a row. Works on copies: the compiler would reload members after each write to
  /// the buffer.
  template <class Wanted>
  [[gnu::always_inline]] edge_t scan_piece(vertex_t u, edge_t first, edge_t last,
                                           Wanted is_wanted) {
    const vertex_t* const heads = graph_.heads;
    Entry* to = buffer_.data() + n_;
    if (last - first <= short_row) {
      // The length of short rows is hard to predict, too.
      for (edge_t i = 0; i < short_row; ++i) {
        const edge_t e = std::min(first + i, last - 1);
        const vertex_t v = heads[e];
        *to = {e, u};
        to += (first + i < last) & (v > u) & is_wanted(e, v);
      }
      return to - buffer_.data();
    }
    for (edge_t e = first; e < last; ++e) {
      const vertex_t v = heads[e];
      *to = {e, u};
      to += (v > u) & is_wanted(e, v);
    }
    return to - buffer_.data();
  }

  static constexpr edge_t capacity = 1024;

  const KeyedGraph<W>& graph_;
  GrowingForest& forest_;
  DeferredEdgeIds<W>& deferred_;
  const VerticesToExamine& to_examine_;
  const Rank<Key> begin_;
  const Rank<Key> end_;
  GrowingList<Candidate<Key>>& list_;
  edge_t n_ = 0;
  std::array<Entry, static_cast<std::size_t>(capacity) + 1> buffer_;
};

/// The state of the passes over the entries.
template <class W>
struct PassState {
  FirstRound<W> first_round;
  bool sorted_rows;  // then first_round.first_upper advances to the unread part of a row
  VerticesToExamine to_examine;
};

/// Returns the first of the edges first .. last, which are sorted, that is not before this rank;
/// `last` if there is none.
template <class W, class Key = order_key_t<W>>
edge_t first_of_rank(const KeyedGraph<W>& graph, edge_t first, edge_t last, Rank<Key> rank) {
  while (first < last) {
    const edge_t middle = first + (last - first) / 2;
    if (graph.rank(middle) < rank) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

/// Returns the edges from `begin` to before `end` that join two trees. All edges before `begin`
/// have been collected.
template <class W, class Key = order_key_t<W>>
CandidateLists<Key> collect(const KeyedGraph<W>& graph, const RowBlocks& blocks,
                            GrowingForest& forest, PassState<W>& state, Rank<Key> begin,
                            Rank<Key> end) {
  CandidateLists<Key> lists(static_cast<std::size_t>(blocks.size()));
  HostArray<edge_t>& starts = state.first_round.first_upper;
  blocks.for_each([&](std::int64_t block, vertex_t first_row, vertex_t last_row) {
    BlockCollector<W> collector(graph, forest, state.first_round.deferred, state.to_examine, begin,
                                end, lists[static_cast<std::size_t>(block)]);
    for (vertex_t u = first_row; u < last_row; ++u) {
      const edge_t first = starts ? starts[u] : graph.begin(u);
      edge_t last = graph.end(u);
      if (state.sorted_rows) {
        starts[u] = last = first_of_rank(graph, first, last, end);
      }
      collector.scan(u, first, last);
    }
    collector.flush();
  });
  return lists;
}

}  // namespace warpgraph::mst
