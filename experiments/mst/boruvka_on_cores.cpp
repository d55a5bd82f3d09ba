#include "algorithms/mst/sorted_rows/forest_of_ranks.hpp"
#include "algorithms/mst/sorted_rows/prepared_rows.hpp"
#include "algorithms/mst/sorted_rows/row_search.hpp"
#include "core/interrupt.hpp"
#include "experiments/mst/boruvka.hpp"
#include "graph/generate/random.hpp"
#include "graph/transform/compress.hpp"
#include "graph/transform/row_blocks.hpp"
#include "primitives/boruvka/host_step.hpp"

#include <algorithm>
#include <array>

namespace warpgraph::experiments {
namespace {

using namespace mst;

/// The steps of progress: sorting, then the rounds of most graphs.
constexpr std::int64_t rounds_expected = 8;

/// Returns the most frequent tree of a few random vertices, as on a device.
vertex_t sample_giant(const vertex_t* tree_of, vertex_t n_vertices, vertex_t n_trees) {
  constexpr std::uint64_t n_samples = 32;
  const CounterRandom random(static_cast<std::uint64_t>(n_trees), 0);
  std::array<vertex_t, n_samples> sample;
  for (std::uint64_t i = 0; i < n_samples; ++i) {
    sample[i] = tree_of[random.below(i, static_cast<std::uint64_t>(n_vertices))];
  }
  const auto frequency = [&](vertex_t tree) {
    return std::count(sample.begin(), sample.end(), tree);
  };
  return *std::max_element(sample.begin(), sample.end(),
                           [&](vertex_t a, vertex_t b) { return frequency(a) < frequency(b); });
}

std::size_t round_bytes(vertex_t n_vertices) noexcept {
  return static_cast<std::size_t>(n_vertices) * (3 * sizeof(vertex_t) + sizeof(choice_t) +
                                                 2 * sizeof(rank_t)) +  // twice, for the sort
         HostRowSearch::bytes(n_vertices);
}

/// Runs all rounds on CPU threads. Returns the ranks of the forest's edges in ascending order.
template <class Heads>
HostVector<rank_t> grow_trees(const RowsView& rows, const Heads& heads) {
  const vertex_t n = rows.n_vertices;
  const HostArray<vertex_t> tree_of(n);
  const HostArray<choice_t> choices(n);
  const HostArray<vertex_t> parent(n);
  const HostArray<vertex_t> numbers(std::int64_t{n} + 1);  // of each root, then their count
  parallel_for(n, [&](std::int64_t v) {
    tree_of[v] = static_cast<vertex_t>(v);
    choices[v] = no_choice;
  });
  const RowBlocks blocks(rows);
  const HostRowSearch search(rows);
  HostVector<rank_t> chosen(static_cast<std::size_t>(n));
  std::int64_t n_chosen = 0;
  vertex_t n_trees = n;
  vertex_t giant = no_vertex;
  for (std::int64_t step = 1;; ++step) {
    report_progress(std::min(step, rounds_expected - 1), rounds_expected);
    blocks.for_each([&](std::int64_t, vertex_t first, vertex_t last) {
      search.search_along(heads, first, last, tree_of.get(), giant, choices.get());
    });
    const boruvka::Trees trees{n_trees, n, tree_of.get(), parent.get(), numbers.get()};
    boruvka::join_trees(boruvka::HostStep{}, trees, TargetOfChoice{choices.get()},
                        RecordChoice{choices.get(), chosen.data() + n_chosen});
    const vertex_t n_roots = numbers[n_trees];
    if (n_roots == n_trees) break;
    n_chosen += n_trees - n_roots;
    n_trees = n_roots;
    giant = sample_giant(tree_of.get(), n, n_trees);
  }
  chosen.resize(static_cast<std::size_t>(n_chosen));
  parallel_sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace

template <class W>
SpanningForest<W> boruvka_on_cores(const CsrView<W>& graph, const BoruvkaOptions& options) {
  const vertex_t n = graph.n_vertices;
  if (n == 0) return {};
  report_progress(0, rounds_expected);
  PreparedRows rows = prepare_rows(graph, options.maximum, options.budget);
  CompressedAdjacency codes;
  if (options.compressed && !rows.heads.empty()) {
    codes = compress(rows.view(), -1, options.budget.after(rows.bytes()));
    rows.heads = HostVector<vertex_t>();
  }
  options.budget.require("a minimum spanning forest", rows.bytes() + codes.bytes() + round_bytes(n),
                         "use method=\"filter\"");
  const RowsView view = rows.view();
  SpanningForest<W> forest =
      forest_of_ranks(graph, rows,
                      codes.bytes() != 0 ? grow_trees(view, codes.view(view))
                                         : grow_trees(view, PlainHeads{view.heads}));
  report_progress(rounds_expected, rounds_expected);
  return forest;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(boruvka_on_cores)

}  // namespace warpgraph::experiments
