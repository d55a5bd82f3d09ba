#include "algorithms/mst/filter_boruvka/block_contraction.hpp"
#include "algorithms/mst/filter_boruvka/collect_candidates.hpp"
#include "algorithms/mst/filter_boruvka/filter_threshold.hpp"
#include "algorithms/mst/mst.hpp"
#include "core/threads/small_work.hpp"

#include <bit>

namespace warpgraph {
namespace {

using namespace mst;

/// The steps of progress: the first round, light edges, heavy edges, the result.
constexpr std::int64_t steps_expected = 4;

/// The number of threads from which on rounds, which read a candidate several times, are faster
/// than Kruskal's algorithm on one thread.
constexpr int min_threads_for_rounds = 3;

/// The smallest graph for which threads are woken: a smaller one takes less time than that.
constexpr edge_t min_pool_size = 1 << 16;

/// The time of an arc of a small graph, on one core.
constexpr double ns_per_arc = 20;

/// The most candidates of a pass: a third of the range of candidate_index_t, which leaves a margin
/// for sampling errors.
constexpr std::int64_t max_collected = no_candidate / 3;

/// Returns the limits of a pass: sorting n_arcs / 32 candidates costs less than another pass over
/// all entries.
FilterLimits choose_filter_limits(const CsrPattern& graph, std::int64_t n_trees) {
  const std::int64_t target = std::min(std::max(3 * n_trees, graph.n_arcs / 128), max_collected);
  return {target, target + std::min(std::max(target / 2, graph.n_arcs / 32), max_collected)};
}

struct Edge {
  edge_t position;
  vertex_t tail;
  vertex_t head;
};

template <class W>
std::size_t scratch_bytes(const CsrPattern& graph, const MstOptions& options) {
  const auto n_vertices = static_cast<std::size_t>(graph.n_vertices);
  // Labels, and the results of the first round; then the forest, twice.
  const std::size_t per_vertex = 4 * sizeof(vertex_t) + 3 * sizeof(edge_t) +
                                 2 * (sizeof(Edge) + sizeof(W) + sizeof(SortedItem));
  // The first round at least halves the number of trees.
  const FilterLimits limits =
      choose_filter_limits(graph, options.symmetric ? graph.n_vertices / 2 : graph.n_vertices);
  const auto collected = static_cast<std::size_t>(std::min(graph.n_arcs, limits.at_most));
  // Growing lists take up to twice their size, and are copied into one array.
  const std::size_t per_candidate = 3 * sizeof(Candidate<order_key_t<W>>);
  return n_vertices * per_vertex + static_cast<std::size_t>(graph.n_arcs) / 8 +
         collected * per_candidate;
}

/// Returns the rank before which to stop collecting edges that start at `begin` and join two of
/// n_trees trees.
template <class W, class Key = order_key_t<W>>
Rank<Key> choose_threshold(const KeyedGraph<W>& graph, const GrowingForest& forest,
                           std::int64_t n_trees, bool is_symmetric, Rank<Key> begin) {
  constexpr std::int64_t sample_size = 4096;
  const FilterLimits limits = choose_filter_limits(graph, n_trees);
  const edge_t n_edges = is_symmetric ? graph.n_arcs / 2 : graph.n_arcs;
  if (n_edges <= std::max(limits.at_most, 8 * sample_size)) return graph.end_rank();
  const CounterRandom random(0, static_cast<std::uint64_t>(begin.position));
  std::vector<Rank<Key>> sample(sample_size, graph.end_rank());
  parallel_for(
      sample_size,
      [&](std::int64_t i) {
        const auto e = static_cast<edge_t>(
            random.below(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(graph.n_arcs)));
        const vertex_t u = tail_of(graph, e);
        const vertex_t v = graph.heads[e];
        const bool joins = u < v && forest.label[u] != forest.label[v];
        if (joins && !(graph.rank(e) < begin)) sample[static_cast<std::size_t>(i)] = graph.rank(e);
      },
      64);
  std::erase_if(sample, [&](Rank<Key> rank) { return !(rank < graph.end_rank()); });
  return filter_threshold(std::move(sample), sample_size, graph.n_arcs, limits, begin,
                          graph.end_rank());
}

/// The rows of entries, for some short rows, listed without branches on the lengths of rows, which
/// are hard to predict.
class RowOfEntry {
 public:
  /// Lists entries from first_row on; returns the row after the last one that fits.
  vertex_t list(const CsrPattern& graph, vertex_t first_row, vertex_t last_row) {
    begin_ = graph.begin(first_row);
    for (vertex_t u = first_row; u < last_row; ++u) {
      const edge_t first = graph.begin(u) - begin_;
      const edge_t last = graph.end(u) - begin_;
      if (last > capacity) return u;
      vertex_t* const rows = rows_.data();
      std::fill_n(rows + first, short_row, u);
      for (edge_t e = first + short_row; e < last; ++e) rows[e] = u;
    }
    return last_row;
  }
  vertex_t operator()(edge_t e) const { return rows_[static_cast<std::size_t>(e - begin_)]; }

 private:
  static constexpr edge_t capacity = 1024;
  edge_t begin_ = 0;
  std::array<vertex_t, static_cast<std::size_t>(capacity + short_row)> rows_;
};

/// Calls visit(e, bits) for some rows: bit i says whether entry e + i is chosen.
template <class Visit>
void for_each_word(const CsrPattern& graph, GrowingForest& forest, vertex_t first_row,
                   vertex_t last_row, Visit&& visit) {
  const std::uint64_t* words = forest.chosen.words().data();
  const edge_t end = graph.begin(last_row);
  for (edge_t e = graph.begin(first_row); e < end; e = (e | 63) + 1) {
    std::uint64_t bits = words[e >> 6] & (~std::uint64_t{0} << (e & 63));
    if (end - (e & ~edge_t{63}) < 64) bits &= (std::uint64_t{1} << (end & 63)) - 1;
    visit(e & ~edge_t{63}, bits);
  }
}

/// Calls visit(e, u) for the chosen entries of some rows in order; u is the row of e.
template <class Visit>
void for_each_chosen(const CsrPattern& graph, GrowingForest& forest, vertex_t first_row,
                     vertex_t last_row, Visit&& visit) {
  const auto visit_rows = [&](vertex_t first, vertex_t last, auto&& row_of) {
    for_each_word(graph, forest, first, last, [&](edge_t from, std::uint64_t bits) {
      for (; bits != 0; bits &= bits - 1) {
        const edge_t e = from + std::countr_zero(bits);
        visit(e, row_of(e));
      }
    });
  };
  if (!graph.has_low_degree()) {
    visit_rows(first_row, last_row, [&, u = first_row](edge_t e) mutable {
      while (e >= graph.end(u)) ++u;
      return u;
    });
    return;
  }
  RowOfEntry row_of;
  while (first_row < last_row) {
    vertex_t next = row_of.list(graph, first_row, last_row);
    if (next > first_row) {
      visit_rows(first_row, next, row_of);
    } else {  // a long row
      visit_rows(first_row, ++next, [&](edge_t) { return first_row; });
    }
    first_row = next;
  }
}

/// Returns the chosen edges in Kruskal's order.
template <class W>
SpanningForest<W> sorted_forest(const KeyedGraph<W>& graph, const RowBlocks& blocks,
                                GrowingForest& forest) {
  std::vector<std::int64_t> starts(static_cast<std::size_t>(blocks.size()));
  blocks.for_each([&](std::int64_t block, vertex_t first_row, vertex_t last_row) {
    std::int64_t& n = starts[static_cast<std::size_t>(block)];
    for_each_word(graph, forest, first_row, last_row,
                  [&](edge_t, std::uint64_t bits) { n += std::popcount(bits); });
  });
  const std::int64_t n = exclusive_scan_in_place(starts.data(), blocks.size());
  const HostArray<Edge> edges(n);
  const HostArray<W> weights(n);
  blocks.for_each([&](std::int64_t block, vertex_t first_row, vertex_t last_row) {
    std::int64_t i = starts[static_cast<std::size_t>(block)];
    for_each_chosen(graph, forest, first_row, last_row, [&](edge_t e, vertex_t u) {
      weights[i] = graph.weights[e];
      edges[i++] = {e, u, graph.heads[e]};
    });
  });
  const HostArray<SortedItem> order =
      sorted_by_key(n, [&](std::int64_t i) { return order_key(weights[i]) ^ graph.flip; });
  const auto n_edges = static_cast<std::size_t>(n);
  SpanningForest<W> result{HostVector<vertex_t>(2 * n_edges), HostVector<W>(n_edges),
                           HostVector<edge_t>(n_edges)};
  constexpr std::int64_t edges_ahead = 16;
  parallel_for(n, [&](std::int64_t i) {
    const auto index = static_cast<std::size_t>(i);
    const SortedItem later = order[std::min(i + edges_ahead, n - 1)];
    __builtin_prefetch(&edges[later.index]);
    __builtin_prefetch(&weights[later.index]);
    const Edge& edge = edges[order[i].index];
    result.weights[index] = weights[order[i].index];
    result.positions[index] = edge.position;
    result.ends[2 * index] = edge.tail;
    result.ends[2 * index + 1] = edge.head;
  });
  return result;
}

/// Joins trees along candidates, given in the order of their positions.
template <class Key>
void join(CandidateLists<Key> lists, GrowingForest& forest) {
  const SortedCandidates candidates = sort_candidates(std::move(lists));
  if (num_threads() < min_threads_for_rounds) {
    join_sequentially(candidates, forest);
  } else {
    join_in_rounds(candidates, forest);
  }
}

/// Passes over all entries, from light edges to heavy ones.
template <class W>
void filter_edges(const KeyedGraph<W>& graph, const RowBlocks& blocks, const MstOptions& options,
                  GrowingForest& forest) {
  // Sorted rows only help for a symmetric matrix: only its rows are scanned for nearest neighbours.
  PassState<W> state{{}, options.symmetric && options.sorted_rows, {}};
  if (options.symmetric) {
    state.first_round = join_nearest_neighbours(graph, blocks, state.sorted_rows, forest);
  }
  std::int64_t steps = 1;
  for (auto begin = graph.first_rank(); begin < graph.end_rank();) {
    report_progress(steps, std::max(steps_expected, steps + 1));
    const auto end =
        choose_threshold(graph, forest, forest.count_trees() - state.first_round.n_isolated,
                         options.symmetric, begin);
    auto lists = collect(graph, blocks, forest, state, begin, end);
    join(std::move(lists), forest);
    begin = end;
    if (begin < graph.end_rank()) {
      forest.flatten();
      state.to_examine.update(graph, forest, state.first_round.deferred);
    }
    ++steps;
  }
}

template <class W>
SpanningForest<W> grow_forest(const KeyedGraph<W>& graph, const MstOptions& options) {
  const RowBlocks blocks(graph);
  GrowingForest forest(graph);
  const RowBlocks large_blocks = blocks_to_contract(graph);
  if (options.symmetric && can_contract_blocks(graph, large_blocks)) {
    auto lists = contract_blocks(graph, large_blocks, forest);
    join(std::move(lists), forest);
  } else {
    filter_edges(graph, blocks, options, forest);
  }
  return sorted_forest(graph, blocks, forest);
}

}  // namespace

template <class W>
MemoryNeed need_of_forest(const CsrPattern& graph, const MstOptions& options) {
  return {"a minimum spanning forest", scratch_bytes<W>(graph, options),
          "pass a graph with fewer edges"};
}

template <class W>
SpanningForest<W> mst_cpu(const CsrView<W>& view, const MstOptions& options) {
  options.budget.require(need_of_forest<W>(view, options));
  if (view.n_arcs == 0) return {};
  const CallThreads threads = threads_for(ns_per_arc * static_cast<double>(view.n_arcs));
  SpanningForest<W> result;
  const auto solve = [&] { result = grow_forest(KeyedGraph<W>(view, options.maximum), options); };
  if (view.n_vertices + view.n_arcs < min_pool_size) {
    const CallThreads one(1);
    solve();
  } else {
    with_spinning_pool(solve);
  }
  report_progress(steps_expected, steps_expected);
  return result;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(need_of_forest)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(mst_cpu)

}  // namespace warpgraph
