#include "algorithms/mst/filter_boruvka/boruvka_rounds.hpp"
#include "algorithms/mst/filter_boruvka/filter_threshold.hpp"
#include "algorithms/mst/filter_boruvka/first_round.hpp"
#include "algorithms/mst/mst.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/generate/random.hpp"

#include <bit>

namespace warpgraph {
namespace {

using namespace mst;

/// For progress: the first round, light edges, heavy edges, the result.
constexpr std::int64_t steps_expected = 4;

/// With fewer threads, rounds, which read a candidate several times, are slower than Kruskal's
/// algorithm on one thread.
constexpr int min_threads_for_rounds = 8;

/// A third of the range of candidate_index_t, which leaves a margin for sampling errors.
constexpr std::int64_t max_collected = no_candidate / 3;

/// Sorting n_arcs / 32 candidates costs less than another pass over all entries.
FilterLimits choose_filter_limits(const CsrPattern& graph, std::int64_t n_trees) {
  const std::int64_t target = std::min(std::max(3 * n_trees, graph.n_arcs / 128), max_collected);
  return {target, target + std::min(std::max(target / 2, graph.n_arcs / 32), max_collected)};
}

template <class W>
struct Edge {
  edge_t position;
  W weight;
  vertex_t tail;
  vertex_t head;
};

template <class W>
std::size_t scratch_bytes(const CsrPattern& graph, const MstOptions& options) {
  const auto n_vertices = static_cast<std::size_t>(graph.n_vertices);
  // Labels, targets, roots and the results of the first round; then the forest, twice.
  const std::size_t per_vertex =
      4 * sizeof(vertex_t) + 3 * sizeof(edge_t) + 2 * (sizeof(Edge<W>) + sizeof(SortedItem));
  // The first round at least halves the number of trees.
  const FilterLimits limits =
      choose_filter_limits(graph, options.symmetric ? graph.n_vertices / 2 : graph.n_vertices);
  const auto collected = static_cast<std::size_t>(std::min(graph.n_arcs, limits.at_most));
  // Growing lists take up to twice their size, and are copied into one array.
  const std::size_t per_candidate = 3 * sizeof(Candidate<order_key_t<W>>);
  return n_vertices * per_vertex + static_cast<std::size_t>(graph.n_arcs) / 8 +
         collected * per_candidate;
}

/// The rank before which to stop collecting edges that start at `begin` and join two of n_trees
/// trees.
template <class W, class Key = order_key_t<W>>
Rank<Key> choose_threshold(const KeyedGraph<W>& graph, const GrowingForest& forest,
                           std::int64_t n_trees, Rank<Key> begin) {
  constexpr std::int64_t sample_size = 4096;
  const FilterLimits limits = choose_filter_limits(graph, n_trees);
  if (graph.n_arcs <= std::max(limits.at_most, 8 * sample_size)) return graph.end_rank();
  const CounterRandom random(0, static_cast<std::uint64_t>(begin.position));
  std::vector<Rank<Key>> sample(sample_size, graph.end_rank());
  parallel_for(sample_size, [&](std::int64_t i) {
    const auto e = static_cast<edge_t>(
        random.below(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(graph.n_arcs)));
    const vertex_t u = tail_of(graph, e);
    const vertex_t v = graph.heads[e];
    const bool joins = u < v && forest.label[u] != forest.label[v];
    if (joins && !(graph.rank(e) < begin)) sample[static_cast<std::size_t>(i)] = graph.rank(e);
  });
  std::erase_if(sample, [&](Rank<Key> rank) { return !(rank < graph.end_rank()); });
  return filter_threshold(std::move(sample), sample_size, graph.n_arcs, limits, begin,
                          graph.end_rank());
}

/// State of the passes over the entries.
template <class W>
struct PassState {
  FirstRound<W> first_round;
  bool has_deferred_ids;  // some edge ids deferred by the first round may still be unresolved
  bool sorted_rows;       // then first_round.first_upper advances to the unread part of a row
};

/// The edges from `begin` to before `end` that join two trees. Also resolves the edge ids that the
/// first round deferred.
template <class W, class Key = order_key_t<W>>
CandidateLists<Key> collect(const KeyedGraph<W>& graph, const RowBlocks& blocks,
                            GrowingForest& forest, PassState<W>& state, Rank<Key> begin,
                            Rank<Key> end) {
  CandidateLists<Key> lists(static_cast<std::size_t>(blocks.size()));
  HostArray<edge_t>& starts = state.first_round.first_upper;
  blocks.for_each([&](std::int64_t block, vertex_t first_row, vertex_t last_row) {
    auto& list = lists[static_cast<std::size_t>(block)];
    for (vertex_t u = first_row; u < last_row; ++u) {
      const vertex_t a = forest.label[u];
      edge_t e = starts ? starts[u] : graph.begin(u);
      for (; e < graph.end(u); ++e) {
        const vertex_t v = graph.heads[e];
        const Rank<Key> rank = graph.rank(e);
        if (state.sorted_rows && !(rank < end)) break;
        if (v <= u) continue;
        if (state.has_deferred_ids && state.first_round.deferred.resolve(u, v, graph, e)) {
          forest.choose(e);
        }
        if (rank < begin || !(rank < end) || forest.label[v] == a) continue;
        list.push_back({rank, a, forest.label[v]});
      }
      if (state.sorted_rows) starts[u] = e;
    }
  });
  return lists;
}

/// Calls visit(u, e) for the chosen entries of some rows in order.
template <class Visit>
void for_each_chosen(const CsrPattern& graph, GrowingForest& forest, vertex_t first_row,
                     vertex_t last_row, Visit&& visit) {
  const std::uint64_t* words = forest.chosen.words().data();
  for (vertex_t u = first_row; u < last_row; ++u) {
    const edge_t end = graph.end(u);
    for (edge_t e = graph.begin(u); e < end;) {
      const std::uint64_t ahead = words[e >> 6] >> (e & 63);
      e += ahead == 0 ? 64 - (e & 63) : std::countr_zero(ahead);
      if (ahead != 0 && e < end) visit(u, e++);
    }
  }
}

/// The chosen edges in Kruskal's order.
template <class W>
SpanningForest<W> sorted_forest(const KeyedGraph<W>& graph, const RowBlocks& blocks,
                                GrowingForest& forest) {
  std::vector<std::int64_t> starts(static_cast<std::size_t>(blocks.size()));
  blocks.for_each([&](std::int64_t block, vertex_t first_row, vertex_t last_row) {
    for_each_chosen(graph, forest, first_row, last_row,
                    [&](vertex_t, edge_t) { ++starts[static_cast<std::size_t>(block)]; });
  });
  const std::int64_t n = exclusive_scan_in_place(starts.data(), blocks.size());
  const HostArray<Edge<W>> edges(n);
  blocks.for_each([&](std::int64_t block, vertex_t first_row, vertex_t last_row) {
    std::int64_t i = starts[static_cast<std::size_t>(block)];
    for_each_chosen(graph, forest, first_row, last_row, [&](vertex_t u, edge_t e) {
      edges[i++] = {e, graph.weights[e], u, graph.heads[e]};
    });
  });
  const HostArray<SortedItem> order =
      sorted_by_key(n, [&](std::int64_t i) { return order_key(edges[i].weight) ^ graph.flip; });
  const auto n_edges = static_cast<std::size_t>(n);
  SpanningForest<W> result{HostVector<vertex_t>(2 * n_edges), HostVector<W>(n_edges),
                           HostVector<edge_t>(n_edges)};
  parallel_for(n, [&](std::int64_t i) {
    const auto index = static_cast<std::size_t>(i);
    const Edge<W>& edge = edges[order[i].index];
    result.positions[index] = edge.position;
    result.weights[index] = edge.weight;
    result.ends[2 * index] = edge.tail;
    result.ends[2 * index + 1] = edge.head;
  });
  return result;
}

}  // namespace

template <class W>
SpanningForest<W> mst_cpu(const CsrView<W>& view, const MstOptions& options) {
  MemoryBudget(Device{}, options.memory_limit)
      .require("a minimum spanning forest", scratch_bytes<W>(view, options),
               "raise memory_limit or use a machine with more memory");
  const KeyedGraph<W> graph(view, options.maximum);
  const RowBlocks blocks(graph);
  GrowingForest forest(graph);
  // Sorted rows only help for a symmetric matrix: only its rows are scanned for nearest neighbours.
  PassState<W> state{{}, options.symmetric, options.symmetric && options.sorted_rows};
  if (options.symmetric) {
    state.first_round = join_nearest_neighbours(graph, blocks, state.sorted_rows, forest);
  }
  std::int64_t steps = 1;
  for (auto begin = graph.first_rank(); begin < graph.end_rank();) {
    report_progress(steps, std::max(steps_expected, steps + 1));
    const auto end =
        choose_threshold(graph, forest, forest.count_trees() - state.first_round.n_isolated, begin);
    const SortedCandidates candidates =
        sort_candidates(collect(graph, blocks, forest, state, begin, end));
    if (num_threads() < min_threads_for_rounds) {
      join_sequentially(candidates, forest);
    } else {
      join_in_rounds(candidates, forest);
    }
    // A pass over all entries has resolved all deferred ids.
    state.has_deferred_ids = state.has_deferred_ids && state.sorted_rows;
    begin = end;
    if (begin < graph.end_rank()) forest.flatten();
    ++steps;
  }
  SpanningForest<W> result = sorted_forest(graph, blocks, forest);
  report_progress(steps_expected, steps_expected);
  return result;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(mst_cpu)

}  // namespace warpgraph
