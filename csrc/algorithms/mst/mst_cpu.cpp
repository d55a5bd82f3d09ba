#include "algorithms/mst/filter_boruvka/first_round.hpp"
#include "algorithms/mst/filter_boruvka/later_rounds.hpp"
#include "algorithms/mst/filter_boruvka/portion.hpp"
#include "algorithms/mst/mst.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/generate/random.hpp"

#include <bit>

namespace warpgraph {
namespace {

using namespace mst;

/// For progress: the first round, light edges, heavy edges, the result.
constexpr std::int64_t steps_expected = 4;

/// Fewer threads are slower at rounds, which look at a candidate several times, than one thread is
/// at Kruskal's algorithm.
constexpr int fewest_threads_for_rounds = 8;

/// A third of what a place_t can number, which leaves room for the errors of sampling.
constexpr std::int64_t most_collected = no_place / 3;

/// Sorting as many candidates as a 32nd of all entries costs less than another pass over them.
Portion choose_portion(const CsrPattern& graph, std::int64_t n_trees) {
  const std::int64_t wanted = std::min(std::max(3 * n_trees, graph.n_arcs / 128), most_collected);
  return {wanted, wanted + std::min(std::max(wanted / 2, graph.n_arcs / 32), most_collected)};
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
  // Labels, targets, roots and what the first round keeps; then the forest, twice.
  const std::size_t per_vertex =
      4 * sizeof(vertex_t) + 3 * sizeof(edge_t) + 2 * (sizeof(Edge<W>) + sizeof(SortedItem));
  // The first round at least halves the number of trees.
  const Portion portion =
      choose_portion(graph, options.mirrored ? graph.n_vertices / 2 : graph.n_vertices);
  const auto collected = static_cast<std::size_t>(std::min(graph.n_arcs, portion.at_most));
  // Lists that grow take up to twice their size, and are copied end to end.
  const std::size_t per_candidate = 3 * sizeof(Candidate<order_key_t<W>>);
  return n_vertices * per_vertex + static_cast<std::size_t>(graph.n_arcs) / 8 +
         collected * per_candidate;
}

/// Where to stop collecting edges that start at `begin` and join two of n_trees trees.
template <class W, class Key = order_key_t<W>>
Rank<Key> choose_end(const RankedGraph<W>& graph, const GrowingForest& forest, std::int64_t n_trees,
                     Rank<Key> begin) {
  constexpr std::int64_t sample_size = 4096;
  const Portion portion = choose_portion(graph, n_trees);
  if (graph.n_arcs <= std::max(portion.at_most, 8 * sample_size)) return graph.end_rank();
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
  return end_of_portion(std::move(sample), sample_size, graph.n_arcs, portion, begin,
                        graph.end_rank());
}

/// How far the passes over the entries have come.
template <class W>
struct Scan {
  FirstRound<W> first_round;
  bool settles;      // some positions that the first round sought may still be found
  bool sorted_rows;  // then first_round.first_upper moves on to what a row has left
};

/// The edges from `begin` to before `end` that join two trees. On the way finds the positions of
/// the edges that the first round sought.
template <class W, class Key = order_key_t<W>>
CandidatePieces<Key> collect(const RankedGraph<W>& graph, const RowBlocks& blocks,
                             GrowingForest& forest, Scan<W>& scan, Rank<Key> begin, Rank<Key> end) {
  CandidatePieces<Key> pieces(static_cast<std::size_t>(blocks.size()));
  HostArray<edge_t>& starts = scan.first_round.first_upper;
  blocks.for_each([&](std::int64_t block, vertex_t first_row, vertex_t last_row) {
    auto& piece = pieces[static_cast<std::size_t>(block)];
    for (vertex_t u = first_row; u < last_row; ++u) {
      const vertex_t a = forest.label[u];
      edge_t e = starts ? starts[u] : graph.begin(u);
      for (; e < graph.end(u); ++e) {
        const vertex_t v = graph.heads[e];
        const Rank<Key> rank = graph.rank(e);
        if (scan.sorted_rows && !(rank < end)) break;
        if (v <= u) continue;
        if (scan.settles && scan.first_round.sought.claim(u, v, graph, e)) forest.choose(e);
        if (rank < begin || !(rank < end) || forest.label[v] == a) continue;
        piece.push_back({rank, a, forest.label[v]});
      }
      if (scan.sorted_rows) starts[u] = e;
    }
  });
  return pieces;
}

/// Calls visit(u, e) for the chosen entries of some rows in their order.
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
SpanningForest<W> describe(const RankedGraph<W>& graph, const RowBlocks& blocks,
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
    const auto place = static_cast<std::size_t>(i);
    const Edge<W>& edge = edges[order[i].index];
    result.positions[place] = edge.position;
    result.weights[place] = edge.weight;
    result.ends[2 * place] = edge.tail;
    result.ends[2 * place + 1] = edge.head;
  });
  return result;
}

}  // namespace

template <class W>
SpanningForest<W> mst_cpu(const CsrView<W>& view, const MstOptions& options) {
  MemoryBudget(Device{}, options.memory_limit)
      .require("a minimum spanning forest", scratch_bytes<W>(view, options),
               "raise memory_limit or use a machine with more memory");
  const RankedGraph<W> graph(view, options.maximum);
  const RowBlocks blocks(graph);
  GrowingForest forest(graph);
  // Sorted rows pay where they are the rows of a symmetric matrix, since only those are scanned for
  // nearest neighbours.
  Scan<W> scan{{}, options.mirrored, options.mirrored && options.sorted_rows};
  if (options.mirrored) {
    scan.first_round = join_nearest_neighbours(graph, blocks, scan.sorted_rows, forest);
  }
  std::int64_t steps = 1;
  for (auto begin = graph.first_rank(); begin < graph.end_rank();) {
    report_progress(steps, std::max(steps_expected, steps + 1));
    const auto end =
        choose_end(graph, forest, forest.count_trees() - scan.first_round.n_lonely, begin);
    const SortedCandidates candidates =
        sort_candidates(collect(graph, blocks, forest, scan, begin, end));
    if (num_threads() < fewest_threads_for_rounds) {
      join_one_by_one(candidates, forest);
    } else {
      Rounds(candidates, forest).run();
    }
    // A pass over all entries has found all that was sought.
    scan.settles = scan.settles && scan.sorted_rows;
    begin = end;
    if (begin < graph.end_rank()) forest.flatten();
    ++steps;
  }
  SpanningForest<W> result = describe(graph, blocks, forest);
  report_progress(steps_expected, steps_expected);
  return result;
}

#define WARPGRAPH_INSTANTIATE(W) \
  template SpanningForest<W> mst_cpu<W>(const CsrView<W>&, const MstOptions&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
